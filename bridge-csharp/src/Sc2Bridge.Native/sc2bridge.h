/* The native library of sc2bridge: matches of a scenario in the simulated game, and fights from observations, inside the caller's process.
 *
 * Order of calls for matches: sc2bridge_open, sc2bridge_bind, sc2bridge_reset, then sc2bridge_step any number of times, then sc2bridge_close.
 *
 * Ownership. The caller owns all memory. The library reads settings, seeds, masks and actions only during a call: do not change them
 * meanwhile. It keeps the addresses of sc2bridge_bind, and writes there during sc2bridge_reset and sc2bridge_step only. The buffers must exist until
 * sc2bridge_close has returned or other buffers were bound.
 *
 * Threads. Different environments can be used by different threads at the same time. If two threads use one environment at the same
 * time, the second call returns SC2BRIDGE_BUSY and has no effect. Each environment has its own threads, which sc2bridge_close ends.
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
    SC2BRIDGE_BUSY = 3,     /* another thread uses this environment */
    SC2BRIDGE_STATE = 4,    /* an earlier call of the order above is missing */
    SC2BRIDGE_ACTION = 5,   /* an action is outside the action space; no match was stepped */
    SC2BRIDGE_INTERNAL = 6  /* the library failed; call sc2bridge_reset or sc2bridge_close next */
};

/* An open environment. Numbers are never used again. */
typedef int64_t sc2bridge_handle;

/* A result of a match. */
enum sc2bridge_result {
    SC2BRIDGE_RUNNING = 0,
    SC2BRIDGE_VICTORY = 1,
    SC2BRIDGE_DEFEAT = 2,
    SC2BRIDGE_TIE = 3,
    SC2BRIDGE_UNDECIDED = 4
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

/* Writes the version of this interface (1), and copies the program's version (such as 0.1.0) to text, cut to capacity bytes with the
 * final 0. text can be null. */
int32_t sc2bridge_version(char *text, int64_t capacity, int32_t *interface_version);

/* Copies the reason of this thread's last error to text, in UTF-8, cut to capacity bytes with the final 0. text can be null.
 * Returns the needed capacity. */
int64_t sc2bridge_last_error(char *text, int64_t capacity);

/* Writes the 65536 directions of the simulated game, in radians, to facings. length is 65536. */
int32_t sc2bridge_facings(float *facings, int64_t length);

/* Opens an environment, and checks its settings. settings is a JSON object in UTF-8 of length bytes, without a final 0. It needs all of:
 *   "scenario"  the text of a scenario's file       "name"     the scenario's name
 *   "opponent"  "computer:RACE:DIFFICULTY[:BUILD]"   "repeat"   game loops in a step, 1 to 100000
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

/* Ends the matches and their threads, and closes the handle. During a call of another thread it returns SC2BRIDGE_BUSY, and closes
 * nothing. */
int32_t sc2bridge_close(sc2bridge_handle handle);

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
