using System.Diagnostics;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Games;

/// <summary>A small client of the game's API. It plays one match as a bot behind the proxy would, and saves the replay.</summary>
/// <param name="options">The limits of the connection.</param>
/// <param name="facts">Receives the times.</param>
internal sealed class ProbeBot(GameClientOptions options, PartFacts facts)
{
    /// <summary>Joins the match, steps, saves the replay and leaves.</summary>
    /// <param name="address">The proxy.</param>
    /// <param name="steps">The number of steps.</param>
    /// <param name="stepSize">The game loops of a step.</param>
    /// <param name="ct">Cancels the match.</param>
    /// <returns>The replay's file.</returns>
    /// <exception cref="Streaming.GameException">A request was refused, or the connection broke.</exception>
    internal async Task<ByteString> PlayAsync(GameAddress address, int steps, uint stepSize, CancellationToken ct)
    {
        await using var game = await RunningGame.AttachAsync(address, options, ct);
        var join = new RequestJoinGame { Race = Race.Terran, Options = DefaultInterface.Create() };
        await AskAsync("join_game", new Request { JoinGame = join });
        for (var step = 0; step < steps; step++)
        {
            await AskAsync("observation", new Request { Observation = new RequestObservation() });
            await AskAsync("step", new Request { Step = new RequestStep { Count = stepSize } });
        }

        return (await AskAsync("save_replay", new Request { SaveReplay = new RequestSaveReplay() })).SaveReplay.Data;

        async Task<Response> AskAsync(string name, Request request)
        {
            var begin = Stopwatch.GetTimestamp();
            var answer = await game.Client.SendAsync(request, ct);
            facts.AddTime(name, Stopwatch.GetElapsedTime(begin));
            return answer;
        }
    }
}
