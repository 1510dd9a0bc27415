/* The native library of sc2bridge: matches of the simulated game inside the caller's process, fights from observations (sc2bridge_simulate),
 * and frames of recordings as arrays (sc2bridge_read_frames, which needs no other call).
 *
 * A vector environment plays many matches, and writes arrays. Order of calls: sc2bridge_open, sc2bridge_bind, sc2bridge_reset, then
 * sc2bridge_step any number of times, then sc2bridge_close.
 *
 * A match returns the frames of its sides. Order of calls: sc2bridge_match_open, sc2bridge_match_begin, sc2bridge_match_frame for each
 * side, then sc2bridge_match_act, sc2bridge_match_step and sc2bridge_match_frame any number of times, then sc2bridge_close.
 *
 * Ownership. The caller owns all memory. The library reads settings, seeds, masks and actions only during a call: do not change them
 * meanwhile. It keeps the addresses of sc2bridge_bind, and writes there during sc2bridge_reset and sc2bridge_step only. The buffers must exist until
 * sc2bridge_close has returned or other buffers were bound. Bytes that a function of matches returns belong to the library: copy them before
 * the next call with the same handle.
 *
 * Threads. Different handles can be used by different threads at the same time. If two threads use one environment or
 * match at the same time, the second call returns SC2BRIDGE_BUSY and has no effect. Each environment has its own threads, which sc2bridge_close ends.
 * After fork(), only the parent process can use the library.
 *
 * Errors. Each function except sc2bridge_last_error returns a code. No exception leaves the library. After each code except SC2BRIDGE_OK,
 * sc2bridge_last_error returns the reason, for the thread that got the code. Null, wrong lengths, arrays of numbers at addresses
 * that are not multiples of a number's size, and handles that are not open, return a code. The library cannot detect an address that is not
 * null and points to too little memory.
 */
#ifndef SC2BRIDGE_H
#define SC2BRIDGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sc2bridge_code {
    SC2BRIDGE_OK = 0,
    SC2BRIDGE_ARGUMENT = 1, /* an argument or a setting is wrong */
    SC2BRIDGE_HANDLE = 2,   /* the handle is not open */
    SC2BRIDGE_BUSY = 3,     /* another thread uses this environment or match */
    SC2BRIDGE_STATE = 4,    /* an earlier call of the order above is missing */
    SC2BRIDGE_ACTION = 5,   /* an action is outside the action space; no match was stepped */
    SC2BRIDGE_INTERNAL = 6, /* the library failed; begin matches again or call sc2bridge_close next */
    SC2BRIDGE_MATCH = 7,    /* sc2bridge_step has stepped all matches, and at least one has failed: see SC2BRIDGE_FAILED */
    SC2BRIDGE_DAMAGED = 8,  /* a chunk or a frame of a recording is damaged */
    SC2BRIDGE_TOO_FEW_ROWS = 9 /* a frame has more units than rows */
};

/* An open environment, match or field. Numbers are never used again. */
typedef int64_t sc2bridge_handle;

/* A result of a match. */
enum sc2bridge_result {
    SC2BRIDGE_RUNNING = 0,
    SC2BRIDGE_VICTORY = 1,
    SC2BRIDGE_DEFEAT = 2,
    SC2BRIDGE_TIE = 3,
    SC2BRIDGE_UNDECIDED = 4,
    SC2BRIDGE_FAILED = 5 /* the match failed in this step; the next step begins another match */
};

/* The indexes in the array of sc2bridge_layout. */
enum sc2bridge_size {
    SC2BRIDGE_MATCHES = 0,
    SC2BRIDGE_ROWS = 1,     /* rows of own, enemy and neutral units */
    SC2BRIDGE_OWN_ROWS = 2,
    SC2BRIDGE_CHOICES = 3,  /* of each own row */
    SC2BRIDGE_FEATURES = 4, /* of each row */
    SC2BRIDGE_PLAYER = 5,   /* numbers about the player */
    SC2BRIDGE_SIZES = 6
};

/* The indexes in the array of sc2bridge_bind. Arrays are in row-major order, with the matches first.
 * docs/guide/environments.md documents features, types, choices and rewards. */
enum sc2bridge_buffer_index {
    SC2BRIDGE_UNITS = 0,       /* float   [matches, rows, features] */
    SC2BRIDGE_TYPES = 1,       /* int32_t [matches, rows] */
    SC2BRIDGE_MASK = 2,        /* int8_t  [matches, rows]: 1 for a row with a unit */
    SC2BRIDGE_PLAYER_INFO = 3, /* float   [matches, player] */
    SC2BRIDGE_ACTION_MASK = 4, /* int8_t  [matches, own rows, choices]: 1 for a choice that is possible */
    SC2BRIDGE_REWARDS = 5,     /* double  [matches] */
    SC2BRIDGE_TERMINATED = 6,  /* uint8_t [matches]: 1 if the match has ended in this step */
    SC2BRIDGE_RESULTS = 7,     /* int32_t [matches]: enum sc2bridge_result */
    SC2BRIDGE_GAME_LOOPS = 8,  /* int64_t [matches] */
    SC2BRIDGE_SINES = 9,       /* float   [2, 65536]: sines, then cosines, of sc2bridge_facings. The library reads it. Null for the
                                  library's own table, which can differ from the caller's library in the last bit. */
    SC2BRIDGE_BUFFERS = 10
};

typedef struct sc2bridge_buffer {
    void *data;
    int64_t bytes;
} sc2bridge_buffer;

/* Writes the version of this interface (3), and copies the program's version (such as 0.1.0) to text, cut to capacity bytes with the
 * final 0. text can be null. */
int32_t sc2bridge_version(char *text, int64_t capacity, int32_t *interface_version);

/* Copies the reason of this thread's last error to text, in UTF-8, cut to capacity bytes with the final 0. text can be null.
 * Returns the needed capacity. */
int64_t sc2bridge_last_error(char *text, int64_t capacity);

/* Writes the 65536 directions of the simulated game, in radians, to facings. length is 65536. */
int32_t sc2bridge_facings(float *facings, int64_t length);

/* Opens an environment, and checks its settings. settings is a JSON object in UTF-8 of length bytes, without a final 0. It needs all of:
 *   "map"       the name of a map of the simulated game; for a scenario, instead:
 *   "scenario"  the text of a scenario's file       "name"     the scenario's name
 *   "race"      the own race                        "repeat"   game loops in a step, 1 to 100000
 *   "opponent"  "computer:RACE:DIFFICULTY[:BUILD]"
 *   "rows"      rows for own, enemy and neutral units, 0 to 1000 each: [3, 3, 0]
 *   "reward"    "fight", "result" or "score"         "matches"  1 to 10000
 *   "threads"   1 to 1024, with the calling thread */
int32_t sc2bridge_open(const char *settings, int64_t length, sc2bridge_handle *handle);

/* Writes the sizes of an environment's arrays. length is SC2BRIDGE_SIZES. */
int32_t sc2bridge_layout(sc2bridge_handle handle, int32_t *sizes, int64_t length);

/* Sets the buffers. count is SC2BRIDGE_BUFFERS. Each buffer must have exactly the bytes of its array. */
int32_t sc2bridge_bind(sc2bridge_handle handle, const sc2bridge_buffer *buffers, int64_t count);

/* Begins each match whose number in mask is not 0, and writes its first observation. seeds and mask have a number for
 * each match. mask is null (with mask_count 0) for all matches. The first call must begin all matches.
 * The same seed and actions give the same bytes as in other processes. With the sines of the bridge's client in SC2BRIDGE_SINES, they
 * give the same bytes as the bridge. */
int32_t sc2bridge_reset(sc2bridge_handle handle, const uint32_t *seeds, int64_t seed_count, const uint8_t *mask, int64_t mask_count);

/* Steps all matches. actions is [matches, own rows], seeds is [matches]. If a match ended in the step before, its actions are ignored
 * and it begins again with its seed; its reward is 0 then. */
int32_t sc2bridge_step(
    sc2bridge_handle handle, const int64_t *actions, int64_t action_count, const uint32_t *seeds, int64_t seed_count);

/* Opens a match, and checks its settings. settings is a JSON object in UTF-8 of length bytes, without a final 0. It needs all of:
 *   "map", or "scenario" and "name": see sc2bridge_open        "repeat"  game loops in a step, 1 to 100000
 *   "players"  ["agent:RACE", "computer:RACE:DIFFICULTY[:BUILD]"], or two agents. The agents are the sides 0 and 1 */
int32_t sc2bridge_match_open(const char *settings, int64_t length, sc2bridge_handle *handle);

/* Begins a match. The last match of this handle ends, and actions that were not sent yet are discarded. */
int32_t sc2bridge_match_begin(sc2bridge_handle handle, uint32_t seed);

/* Adds actions of a side to the next step. actions is a serialized SC2APIProtocol.RequestAction of length bytes, at most 1 MiB. If the game
 * refuses an action, the match continues. */
int32_t sc2bridge_match_act(sc2bridge_handle handle, int32_t side, const uint8_t *actions, int64_t length);

/* Sends the actions of all sides to the game, and plays the loops of a step. */
int32_t sc2bridge_match_step(sc2bridge_handle handle);

typedef struct sc2bridge_frame {
    const uint8_t *columns; /* a serialized sc2bridge.v1.Columns, as the bridge sends it without abilities, map_state and pictures */
    int64_t length;
    uint32_t game_loop;
    uint32_t is_over; /* 1 for the match's last frame, whose observation has the results */
} sc2bridge_frame;

/* Returns the newest frame of a side. */
int32_t sc2bridge_match_frame(sc2bridge_handle handle, int32_t side, sc2bridge_frame *frame);

/* Sends a request of a side to the game. request is a serialized SC2APIProtocol.Request of length bytes, at most 1 MiB: query, game_info, data
 * or ping. Returns the serialized Response, which can have errors. */
int32_t sc2bridge_match_request(
    sc2bridge_handle handle, int32_t side, const uint8_t *request, int64_t length, const uint8_t **answer, int64_t *answer_length);

/* Ends the matches and their threads, and closes the handle. During a call of another thread it returns SC2BRIDGE_BUSY, and closes
 * nothing. */
int32_t sc2bridge_close(sc2bridge_handle handle);

/* A chunk of a recording: an MCAP file, see docs/reference/recording-format.md. The caller finds the chunks. */
typedef struct sc2bridge_chunk {
    const void *data;      /* the chunk's records, as they are in the file */
    int64_t bytes;         /* their size, at most 17 MiB */
    int64_t records_bytes; /* their size without compression, at most 17 MiB */
    uint32_t crc;          /* the CRC-32 of the records without compression; 0 for none. It is not checked if zstd has a checksum */
    int32_t is_zstd;       /* 1 for zstd, 0 for no compression */
    int32_t channel;       /* the number of the channel with the frames */
    int32_t frames;        /* how many messages of this channel the chunk has */
    int32_t messages;      /* how many messages the chunk has */
    int32_t wanted;        /* how many of its frames to read */
} sc2bridge_chunk;

/* A frame to read. */
typedef struct sc2bridge_place {
    int32_t index; /* its index among the chunk's frames */
    int32_t to;    /* its index in the columns, different for each frame */
} sc2bridge_place;

enum sc2bridge_table {
    SC2BRIDGE_UNIT_TABLE = 0,   /* [frames, rows]: a field of Unit by its number; 61, 62, 63: x, y, z; 0: uint8_t 1 for a row with a unit */
    SC2BRIDGE_PLAYER_TABLE = 1, /* [frames]: a field of PlayerCommon by its number; 62: the score; 0: uint64_t with bit n for field n, 62: score */
    SC2BRIDGE_FRAME_TABLE = 2   /* [frames], int64_t: 0 the number of units, 1 the step, 2 the game loop */
};

/* An array that sc2bridge_read_frames writes. A value that is missing is 0, and so are the rows after the last unit. */
typedef struct sc2bridge_column {
    void *data;
    int64_t bytes;
    int32_t table;
    int32_t field;
    int32_t size;     /* bytes of a value: 1 for enums and booleans, 4, or 8; 8 is also allowed for enums, uint32 and the score */
    int32_t reserved; /* 0 */
} sc2bridge_column;

/* Reads frames of chunks into columns. `places` has the frames of the first chunk, then of the second, and so on. rows is 1 to 262144.
 * frames is the number of frames in the columns. Any threads can call this at the same time. After an error, the columns have any content.
 * Messages inside of an observation that no column needs are not checked. */
int32_t sc2bridge_read_frames(
    const sc2bridge_chunk *chunks, int64_t chunk_count, const sc2bridge_place *places, int64_t place_count,
    const sc2bridge_column *columns, int64_t column_count, int64_t rows, int64_t frames);

/* Fights that begin from observations. The functions below use fields instead of environments. Any number of threads can use a field at the
 * same time. docs/guide/agents.md documents which units take part, and what is not simulated. */

/* A unit of an observation. */
typedef struct sc2bridge_fight_unit {
    uint32_t type;         /* UnitTypeData.unit_id; units of unknown types are ignored */
    int32_t side;          /* 0 own, 1 enemy, 2 neither: an obstacle */
    float x, y;            /* cells */
    float facing;          /* radians */
    float build_progress;  /* 0 to 1 */
    float health, health_max, shield, energy; /* points; health_max is 0 if it is unknown */
    float weapon_cooldown; /* game loops; negative if it is unknown */
    int32_t target;        /* the index of the unit that it fights, among the units of its fight; -1 if it is unknown */
    uint32_t levels;       /* upgrade levels: attack + 256 * armour + 65536 * shields */
    uint32_t buffs[2];     /* 0 for no buff */
} sc2bridge_fight_unit;

/* A fight: its parts of the arrays, its longest duration, and the seed for what an observation does not show. Fights can share parts. */
typedef struct sc2bridge_fight {
    int32_t first_unit, unit_count;
    int32_t first_upgrade, own_upgrades, enemy_upgrades; /* the enemy's upgrades are after the own ones */
    int32_t first_creep, creep_bytes; /* MapState.creep: one bit for each cell; 0 bytes without creep */
    int32_t loops;                    /* 0 to 22400 */
    uint32_t seed;
} sc2bridge_fight;

typedef struct sc2bridge_fight_result {
    int32_t winner; /* 1 own side, 2 enemy, 0 if both or neither can still fight */
    int32_t loops;
    int32_t own_minerals, own_vespene; /* the price and supply of the units that died */
    float own_supply;
    int32_t enemy_minerals, enemy_vespene;
    float enemy_supply;
} sc2bridge_fight_result;

/* A unit at the end: health is 0 if it died, and -1 if it took no part. */
typedef struct sc2bridge_fight_life {
    float health, shield;
} sc2bridge_fight_life;

/* Opens the ground of a map. game_info is a serialized ResponseGameInfo, at most 16 MiB. */
int32_t sc2bridge_field_open(const void *game_info, int64_t length, sc2bridge_handle *handle);

/* Closes a field. Calls that use it in other threads still end. */
int32_t sc2bridge_field_close(sc2bridge_handle handle);

/* Plays fights on threads (1 to 1024, with the calling thread). result_count is fight_count. lives has the units of all fights, one fight
 * after the other, so life_count is the sum of all unit_count. The same arguments give the same results. */
int32_t sc2bridge_simulate(
    sc2bridge_handle handle, const sc2bridge_fight *fights, int64_t fight_count, const sc2bridge_fight_unit *units, int64_t unit_count,
    const uint32_t *upgrades, int64_t upgrade_count, const uint8_t *creep, int64_t creep_bytes, int32_t threads,
    sc2bridge_fight_result *results, int64_t result_count, sc2bridge_fight_life *lives, int64_t life_count);

#ifdef __cplusplus
}
#endif

#endif
