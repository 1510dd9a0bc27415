using System.CommandLine;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The options that commands share which need a game: which, and how it is started.</summary>
internal sealed class GameOptionSet : OptionSet
{
    private readonly Option<GameChoice> _game = new("--game")
    {
        Description = "which game to play on (default: auto)",
    };

    private readonly Option<string?> _attach = Text(
        "--attach", null, "HOST:PORT", "a game that runs already, also on another machine");

    private readonly Option<long> _port = Number(
        "--game-port", 0, "PORT", "the port that the started game listens on, 0 for a free one", 0, 65_535);

    private readonly Option<TimeSpan?> _startDeadline = Seconds(
        "--start-deadline", null, "how long the game may take to start (default: StarCraft II 180, simulated 60)");

    private readonly Option<TimeSpan?> _answerDeadline = AnswerDeadline();

    /// <inheritdoc/>
    internal override IEnumerable<Option> All => [_game, _attach, _port, _startDeadline, _answerDeadline];

    /// <summary>The one of them that a command needs too which starts no game.</summary>
    internal static Option<TimeSpan?> AnswerDeadline() => Seconds(
        "--game-deadline", null,
        "how long the game may take to answer before it hangs (default: 60; to load a map 120)");

    /// <summary>One that was given and says only how a game is played on; null where none was.</summary>
    internal string? GivenForPlaying(ParseResult parsed) =>
        FirstGiven(parsed, [_attach, _startDeadline, _answerDeadline])?.Name;

    /// <summary>What was asked for.</summary>
    internal GameOptions Read(ParseResult parsed) => new()
    {
        Game = parsed.GetValue(_game),
        Attach = parsed.GetValue(_attach),
        Port = (int)parsed.GetValue(_port),
        StartDeadline = parsed.GetValue(_startDeadline),
        AnswerDeadline = parsed.GetValue(_answerDeadline),
    };
}
