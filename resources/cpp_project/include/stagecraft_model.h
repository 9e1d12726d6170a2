#ifndef STAGECRAFT_MODEL_H
#define STAGECRAFT_MODEL_H

/*
 * The network as a library for C and for languages that call C.
 *
 * Functions that can fail return 0, or another number and the reason in `message`: at most `message_size` bytes, ended
 * by a zero; `message` may be null. Functions of one network may be called from several threads.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stagecraft_model_network stagecraft_model_network;

typedef struct stagecraft_model_options {
#ifdef STAGECRAFT_MODEL_CUDA
    int device; /* which GPU, as CUDA counts them */
    int quick;  /* not 0: loads in seconds, but is not the fastest */
#else
    int threads; /* 0: one for each processor that this process may use */
    int pin;     /* not 0: each thread stays on a processor of its own while the network runs */
#endif
} stagecraft_model_options;

/* `weights_file` is the weights.bin of this export; `options` may be null: those of Options in stagecraft_model.hpp.
 * The network belongs to the caller, who frees it. */
int stagecraft_model_load(const char *weights_file, const stagecraft_model_options *options,
                          stagecraft_model_network **network, char *message, size_t message_size);
void stagecraft_model_free(stagecraft_model_network *network); /* null: nothing happens */

/* Texts and shapes live as long as the network. An index that there is not: 0 or null. */
size_t stagecraft_model_input_count(const stagecraft_model_network *network);
const char *stagecraft_model_input_name(const stagecraft_model_network *network, size_t index);
size_t stagecraft_model_input_shape(const stagecraft_model_network *network, size_t index,
                                    const int64_t **shape); /* returns the rank */
size_t stagecraft_model_output_count(const stagecraft_model_network *network);
const char *stagecraft_model_output_name(const stagecraft_model_network *network, size_t index);
size_t stagecraft_model_output_shape(const stagecraft_model_network *network, size_t index, const int64_t **shape);

/* One pointer for each input and output, in their order, to float32 values of its shape, row-major. */
int stagecraft_model_run(const stagecraft_model_network *network, const float *const *inputs, float *const *outputs,
                         char *message, size_t message_size);

#ifdef __cplusplus
}
#endif

#endif
