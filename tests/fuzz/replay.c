/* Runs a fuzz target once on every file of the folders and files named on the command line, and on an empty
 * input: the seed corpus as an ordinary test, with any compiler. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    /* An allocation of exactly the file's size, so that AddressSanitizer sees a read past its end. */
    uint8_t *data = NULL;
    int status = 1;
    if (fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        data = malloc(size > 0 ? (size_t)size : 1);
        if (size >= 0 && data != NULL && fread(data, 1, (size_t)size, file) == (size_t)size) {
            LLVMFuzzerTestOneInput(data, (size_t)size);
            status = 0;
        }
    }
    if (status != 0) fprintf(stderr, "%s: cannot be read\n", path);
    free(data);
    fclose(file);
    return status;
}

static int run_folder(const char *path, int *count)
{
    DIR *folder = opendir(path);
    if (folder == NULL) {
        perror(path);
        return 1;
    }
    int status = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char name[4096];
        int length = snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] == '.' || length < 0 || (size_t)length >= sizeof name) continue;
        status |= run_file(name);
        ++*count;
    }
    closedir(folder);
    return status;
}

int main(int argc, char **argv)
{
    int status = 0;
    int count = 1;
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; ++i) {
        struct stat info;
        if (stat(argv[i], &info) != 0) {
            perror(argv[i]);
            status = 1;
        } else if (S_ISDIR(info.st_mode)) {
            status |= run_folder(argv[i], &count);
        } else {
            status |= run_file(argv[i]);
            ++count;
        }
    }
    printf("%d inputs\n", count);
    return status;
}
