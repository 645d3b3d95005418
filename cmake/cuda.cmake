# The GPU backend. Its kernels are compiled by nvcc, and the CUDA runtime is linked statically: a build with CUDA also runs
# where there is no GPU. What the kernels compute is tested on every machine, because the host can play the GPU.

find_program(VXE_NVCC nvcc PATHS /usr/local/cuda/bin /opt/cuda/bin NO_CACHE)
set(VXE_CUDA_FOUND OFF)
if(VXE_NVCC AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CROSSCOMPILING AND NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
    set(VXE_CUDA_FOUND ON)
endif()
option(VXE_CUDA "Kernels for NVIDIA GPUs (needs nvcc)" ${VXE_CUDA_FOUND})
set(VXE_CUDA_ARCHITECTURES 90 CACHE STRING
    "Compute capabilities to make machine code for; others from 80 on compile it when they first run it")

if(VXE_CUDA AND NOT VXE_NVCC)
    message(FATAL_ERROR "VXE_CUDA needs nvcc: install the CUDA toolkit, or set VXE_NVCC")
endif()

# Adds what the library needs to the list of its sources.
function(vxe_cuda_sources list)
    file(GLOB found CONFIGURE_DEPENDS src/backend/cuda/*.c)
    if(VXE_CUDA)
        list(FILTER found EXCLUDE REGEX "/absent\\.c$") # says that there is no CUDA
        # the CPU's bits: no contraction, IEEE division and root, no flushing
        set(flags -std=c++17 -O3 -fmad=false -prec-div=true -prec-sqrt=true -ftz=false -I${PROJECT_SOURCE_DIR}/src
            -Xcompiler=-fPIC,-fvisibility=hidden -Werror=all-warnings)
        # one code for all, translated to that of each: another for each would double the time it takes
        set(codes ${VXE_CUDA_ARCHITECTURES})
        list(TRANSFORM codes PREPEND sm_)
        list(JOIN codes "," codes)
        list(APPEND flags "-gencode=arch=compute_80,code=[${codes},compute_80]")
        file(GLOB headers CONFIGURE_DEPENDS src/backend/cuda/*.h src/kernel/*.h)
        foreach(name blocks_double blocks_single stages_double stages_single gpu) # the longest first
            set(object ${PROJECT_BINARY_DIR}/cuda/${name}.o)
            add_custom_command(
                OUTPUT ${object}
                COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/cuda
                COMMAND ${VXE_NVCC} ${flags} -c ${PROJECT_SOURCE_DIR}/src/backend/cuda/${name}.cu -o ${object}
                DEPENDS ${PROJECT_SOURCE_DIR}/src/backend/cuda/${name}.cu ${headers}
                COMMENT "Compiling kernels: ${name}.cu"
                VERBATIM)
            list(APPEND found ${object})
        endforeach()
    endif()
    set(${list} ${${list}} ${found} PARENT_SCOPE)
endfunction()

function(vxe_cuda_library target)
    if(NOT VXE_CUDA)
        return()
    endif()
    get_filename_component(bin ${VXE_NVCC} REALPATH)
    get_filename_component(root ${bin} DIRECTORY)
    find_library(VXE_CUDART cudart_static PATHS ${root}/../lib64 ${root}/../lib /usr/local/cuda/lib64 NO_CACHE REQUIRED)
    target_link_libraries(${target} PRIVATE ${VXE_CUDART} dl rt -l:libstdc++.a) # inside: programs in C need not load it
    target_link_options(${target} PRIVATE -static-libgcc)
endfunction()
