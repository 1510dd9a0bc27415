using System.CommandLine;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The options of commands that need a game: which game, and how it is started.</summary>
internal sealed class GameOptionSet : OptionSet
{
    private readonly Option<GameChoice> _game = Choice(
        "--game", GameChoice.Auto, "the game to play on; `auto` is StarCraft II if it is installed, else the simulated game");

    private readonly Option<string?> _attach = Text(
        "--attach", null, "HOST:PORT", "a game that runs already, [also on another machine](../guide/attach.md)");

    private readonly Option<long> _port = Number(
        "--game-port", 0, "PORT", "the port that the started game listens on; 0 takes a free port", 0, 65_535);

    private readonly Option<TimeSpan?> _startDeadline = Seconds(
        "--start-deadline", null, "how long the game may take to start (default: StarCraft II 180, simulated 60)");

    private readonly Option<TimeSpan?> _answerDeadline = CreateAnswerDeadline();

    /// <inheritdoc/>
    internal override IEnumerable<OptionGroup> Groups => [new("the game", _game, _attach, _port, _startDeadline, _answerDeadline)];

    /// <summary>Makes the option for the time limit of the game's answers. The command <c>ladder</c> has this option too.</summary>
    internal static Option<TimeSpan?> CreateAnswerDeadline() => Seconds(
        "--game-deadline", null,
        "how long the game may take to answer before it counts as hanging (default: 60; to load a map 120)");

    /// <summary>The name of the first given option that has an effect only if <c>doctor</c> plays on the game; null if none is given.</summary>
    internal string? FindOptionForPlaying(ParseResult parsed) =>
        FirstGiven(parsed, [_attach, _startDeadline, _answerDeadline])?.Name;

    /// <summary>Reads the values of the options.</summary>
    internal GameOptions Read(ParseResult parsed) => new()
    {
        Game = parsed.GetValue(_game),
        Attach = parsed.GetValue(_attach),
        Port = (int)parsed.GetValue(_port),
        StartDeadline = parsed.GetValue(_startDeadline),
        AnswerDeadline = parsed.GetValue(_answerDeadline),
    };
}
