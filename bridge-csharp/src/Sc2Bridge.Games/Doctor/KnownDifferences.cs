namespace Sc2Bridge.Games;

/// <summary>Differences between builds of StarCraft II that others have documented. The check reports them as known, with their source.</summary>
internal static class KnownDifferences
{
    // The source of the builds of versions: s2client-proto, buildinfo/versions.json; burnysc2 7.3.0, sc2/versions.py.
    private const uint Build485 = 73559;
    private const uint Build491 = 74456;
    private const uint Build410 = 75689;
    private const uint Build500 = 80949;
    private const uint Build5014 = 93333;

    // Each applies to builds before the given one. A field's rule also applies to the fields in it.
    private static readonly (string Field, uint Before, string Text)[] _fields =
    [
        ("observation.score.score_details.current_apm", Build410, "since 4.10 (s2client-proto b3210c4)"),
        ("observation.score.score_details.current_effective_apm", Build410, "since 4.10 (s2client-proto b3210c4)"),
        ("observation.raw_data.radar", Build491, "since 4.9.1 (s2client-proto c974749)"),
        ("game_info.player_info.ai_build", Build491, "since 4.9.1 (s2client-proto c974749)"),
        ("game_info.start_raw.pathing_grid.bits_per_pixel", Build485, "bytes until 4.8.4, bits since 4.8.5 (Dentosal/python-sc2 issue 283)"),
        ("game_info.start_raw.placement_grid.bits_per_pixel", Build485, "bytes until 4.8.4, bits since 4.8.5 (Dentosal/python-sc2 issue 283)"),
        ("observation.raw_data.map_state.creep.bits_per_pixel", 74071, "bytes until 4.8.6, bits since 4.9.0 (Dentosal/python-sc2 issue 283)"),
    ];

    private static readonly (string Table, uint From, uint Before, string Text)[] _ids =
    [
        ("abilities", 4107, Build500, "ids from 4107 on came with 5.0.0 (ocraft-s2client issue 36)"),
        ("units", 1994, Build500, "ids from 1994 on came with 5.0.0 (ocraft-s2client issue 36)"),
        ("abilities", 4109, Build5014, "ids from 4109 on have changed in 5.0.14 (burnysc2 7.3.0, sc2/ids/ability_id.py)"),
    ];

    /// <summary>Returns why a build has another field or another range of a number; null if this is not documented.</summary>
    internal static string? OfField(string field, uint build) =>
        _fields.FirstOrDefault(known => build < known.Before && (field == known.Field || field.StartsWith(known.Field + ".", StringComparison.Ordinal))).Text;

    /// <summary>Returns why a build's data has another type with an id; null if this is not documented.</summary>
    /// <param name="table">The table of <c>ResponseData</c>.</param>
    /// <param name="id">The type's id.</param>
    /// <param name="build">The game's base build.</param>
    internal static string? OfId(string table, uint id, uint build) =>
        _ids.FirstOrDefault(known => known.Table == table && id >= known.From && build < known.Before).Text;
}
