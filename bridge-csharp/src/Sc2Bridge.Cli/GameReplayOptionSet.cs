using System.CommandLine;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>
/// The options of <c>sc2bridge replay</c> that are for a replay in the game, and not for a recording.
/// </summary>
internal sealed class GameReplayOptionSet : OptionSet
{
    private readonly Option<long> _observe = Number(
        "--observe", 0, "N", "whose observations of a replay: a player id, or 0 for an observer of all", 0, 16);

    private readonly Option<long> _stepSize = Number("--step-size", 1, "LOOPS", "game loops in a step", 1, 100_000);
    private readonly Option<string?> _map = ReplayMap();
    private readonly GameOptionSet _game = new();
    private readonly InterfaceOptionSet _interface = new();
    private readonly RecordingOptionSet _recording = new();

    /// <summary>The map's file, for replays whose game would not find it.</summary>
    internal static Option<string?> ReplayMap() => Text(
        "--map", null, "FILE", "the replay's map, if the game does not find it");

    /// <inheritdoc/>
    internal override IEnumerable<OptionGroup> Groups =>
        [new("replays of the game", _observe, _stepSize, _map), .. _interface.Groups, .. _recording.Groups, .. _game.Groups];

    /// <summary>How the replay is watched.</summary>
    internal ReplaySettings Read(ParseResult parsed, PlaybackOptions playback) => new()
    {
        Observe = (uint)parsed.GetValue(_observe),
        StepSize = (uint)parsed.GetValue(_stepSize),
        MapFile = parsed.GetValue(_map),
        DisableFog = _interface.DisableFog(parsed),
        Interface = _interface.Read(parsed),
        Rate = playback.Rate,
        From = playback.From,
        To = playback.To,
        IsHeld = playback.IsHeld,
    };

    /// <summary>The game that plays it.</summary>
    internal GameOptions Game(ParseResult parsed) => _game.Read(parsed);

    /// <summary>The file to record it into; null for none.</summary>
    internal string? RecordingFile(ParseResult parsed, string folder) => _recording.Read(parsed, folder);
}
