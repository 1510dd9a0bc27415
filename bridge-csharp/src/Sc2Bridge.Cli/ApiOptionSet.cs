using System.CommandLine;
using System.CommandLine.Parsing;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The options for bots that connect to the bridge as if it were the game.</summary>
internal sealed class ApiOptionSet : OptionSet
{
    private readonly Option<long> _port = Number(
        "--api-port", 0, "PORT", "the port that the bot of `api:RACE` connects to; a second bot connects to the next port; 0 takes free ports", 0, 65_535);

    private readonly Option<TimeSpan?> _deadline = Seconds(
        "--api-deadline", new ProxyOptions().Patience,
        "how long the bot may take to join, and later to send each message; after this time, the match ends (default: 180)");

    private readonly Option<bool> _ladderRules = Flag(
        "--ladder-rules",
        "the limits of a ladder: no `disable_fog`, no debug command except drawing, 40 ms for a game loop, at most 80,640 loops");

    /// <inheritdoc/>
    internal override IEnumerable<OptionGroup> Groups => [new("unmodified bots", _port, _deadline, _ladderRules)];

    /// <summary>Reads the values of the options; null if no unmodified bot plays.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="settings">The match.</param>
    /// <exception cref="CommandException">An option was given, but no player is an unmodified bot.</exception>
    internal ProxyOptions? Read(ParseResult parsed, MatchSettings settings)
    {
        if (settings.Players.Any(player => player.Kind == V1.PlayerKind.Api))
        {
            return new ProxyOptions
            {
                Port = (int)parsed.GetValue(_port),
                Patience = parsed.GetValue(_deadline)!.Value,
                Ladder = parsed.GetValue(_ladderRules) ? new LadderRules() : null,
            };
        }

        return FirstGiven(parsed, AllOptions) is { } given
            ? throw new CommandException($"{given.Name} is for an unmodified bot: add --player api:RACE")
            : null;
    }
}
