/* Replays: what a run did, as one page that opens anywhere. */
#ifndef STUDIO_REPLAY_H
#define STUDIO_REPLAY_H
#endif
