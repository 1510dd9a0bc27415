using System.CommandLine;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>
/// The options of <c>sc2bridge replay</c> for replays of the game. These options do not apply to recordings.
/// </summary>
internal sealed class GameReplayOptionSet : OptionSet
{
    private readonly Option<long> _observe = Number(
        "--observe", 0, "N", "the perspective of a replay: a player id, or 0 for an observer of all", 0, 16);

    private readonly Option<long> _stepSize = Number("--step-size", 1, "LOOPS", "game loops in a step", 1, 100_000);
    private readonly Option<string?> _map = CreateMapOption();
    private readonly GameOptionSet _game = new();
    private readonly InterfaceOptionSet _interface = new();
    private readonly RecordingOptionSet _recording = new();

    /// <summary>Makes the option that names the map file of the replay.</summary>
    internal static Option<string?> CreateMapOption() => Text(
        "--map", null, "FILE", "the replay's map, if the game does not find it");

    /// <inheritdoc/>
    internal override IEnumerable<OptionGroup> Groups =>
        [new("replays of the game", _observe, _stepSize, _map), .. _interface.Groups, .. _recording.Groups, .. _game.Groups];

    /// <summary>Reads the settings of the replay.</summary>
    internal ReplaySettings Read(ParseResult parsed, PlaybackOptions playback) => new()
    {
        Observe = (uint)parsed.GetValue(_observe),
        StepSize = (uint)parsed.GetValue(_stepSize),
        MapFile = parsed.GetValue(_map),
        DisableFog = _interface.ReadDisableFog(parsed),
        Interface = _interface.Read(parsed),
        Rate = playback.Rate,
        From = playback.From,
        To = playback.To,
        IsPaused = playback.IsPaused,
    };

    /// <summary>Reads the game that plays the replay.</summary>
    internal GameOptions ReadGame(ParseResult parsed) => _game.Read(parsed);

    /// <summary>Reads the file to record into; null to record nothing.</summary>
    internal string? ReadRecordingFile(ParseResult parsed, string folder) => _recording.Read(parsed, folder);
}
