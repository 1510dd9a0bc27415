using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// A match that is under way in a game which runs already, here or on another machine: followed from where it is, with
/// the eyes of the client that was there before. It is moved on by each step, and left where it is then.
/// </summary>
/// <remarks>
/// The game has one client at a time: the one before has left. Whether it runs on its own clock only its refusal of a
/// step tells, so that a stepped match is one loop further when its first observation is asked for.
/// </remarks>
/// <param name="address">Where the game listens.</param>
/// <param name="options">How its connection is treated.</param>
public sealed class RunningMatchSource(GameAddress address, GameClientOptions? options = null)
    : LiveSource(null, address, options ?? new GameClientOptions())
{
    /// <inheritdoc/>
    private protected override bool LeavesMatch => false;

    /// <inheritdoc/>
    /// <exception cref="GameException">The game is in no match.</exception>
    private protected override async Task<EnteredMatch> EnterAsync(GameClient client, CancellationToken ct)
    {
        var ping = (await client.SendAsync(new Request { Ping = new RequestPing() }, ct)).Ping;
        if (client.Status is not (Status.InGame or Status.InReplay))
        {
            throw new GameException(client.Status == Status.Ended
                ? $"The match of the game at {Address} is over: start another one in it."
                : $"The game at {Address} is in no match ({client.Status}): have a client create and join one, and leave "
                    + "the connection.");
        }

        var settings = new MatchSettings { Rate = await RateAsync(client, ct) };
        client.Realtime = settings.Rate.Realtime;
        var facts = await GameFacts.AskAsync(client, ct);
        var observed = await client.SendAsync(new Request { Observation = new RequestObservation() }, ct);
        var perspective = observed.Observation.Observation?.PlayerCommon?.PlayerId ?? 0;
        return new EnteredMatch(facts.Describe(settings, perspective, ping), settings, perspective);
    }

    private static async Task<StepRate> RateAsync(GameClient client, CancellationToken ct)
    {
        try
        {
            await client.SendAsync(new Request { Step = new RequestStep { Count = 1 } }, ct);
            return StepRate.Max;
        }
        catch (GameRequestException refused) when (!GameEnding.Says(refused.Errors))
        {
            return StepRate.GameClock;
        }
    }
}
