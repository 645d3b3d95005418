/* Text files of lines and words, read from memory: what the text readers share. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Where reading stands. */
typedef struct words {
    const char *at;
    const char *end;
    size_t line; /* from 1 */
} words;

/* A word; size 0: none. */
typedef struct word {
    const char *text;
    size_t size;
} word;

static inline words words_of(const char *data, size_t size) { return (words){data, data + size, 1}; }

/* The next word of this line; an empty one at its end. */
word vxe_words_next(words *w);
/* The next word of this or a later line; an empty one at the end of the text. */
word vxe_words_next_anywhere(words *w);
/* Goes to the next line; false: there is none. */
bool vxe_words_next_line(words *w);

bool vxe_word_is(word w, const char *text);
/* The same, small and capital letters alike. */
bool vxe_word_is_like(word w, const char *text);
/* A decimal number, the same in every locale. False: it is something else, or not finite. */
bool vxe_word_number(word w, double *value);
/* A whole number with an optional sign. False: it is something else, or does not fit. */
bool vxe_word_integer(word w, int64_t *value);
/* A word as a message shows it: its beginning, with ? for what is not plain text. */
typedef struct word_shown {
    char text[44];
} word_shown;
word_shown vxe_word_show(word w);

/* Whether a name has something before this end; vxe_ends_like(): in small or capital letters. */
bool vxe_ends_with(const char *name, const char *end);
bool vxe_ends_like(const char *name, const char *end);

/* Text where HTML and XML have meaning for some characters: these escaped, quotes too if asked for. */
void vxe_write_escaped(FILE *out, const char *text, bool quotes);
/* The part of a name before its first dot, as a name of an element of XML. */
void vxe_element_name(const char *name, char element[128]);

#endif
