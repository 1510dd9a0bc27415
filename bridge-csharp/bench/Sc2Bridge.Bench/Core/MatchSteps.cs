using System.Buffers;
using System.Collections;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Bench;

/// <summary>One step of a match.</summary>
/// <param name="Index">Counts from 0 at the match's first observation.</param>
/// <param name="Run">Which run of consecutive steps it belongs to, from 0.</param>
/// <param name="Observation">The serialized <c>ResponseObservation</c>.</param>
internal readonly record struct MatchStep(int Index, int Run, byte[] Observation);

/// <summary>
/// Steps of the default simulated match (two Elite computers on Cinder Fortress LE, one game loop a step), as an
/// observer of all sees them: the whole match, or runs of consecutive steps spread evenly over it. Each enumeration
/// plays it anew, in this process, and gives the same bytes; nothing is kept.
/// </summary>
/// <param name="runs">How many runs, from the match's first step to its last; 1 is for the whole match.</param>
/// <param name="runLength">Steps in each.</param>
/// <param name="ct">Stops the match.</param>
internal sealed class MatchSteps(int runs, int runLength, CancellationToken ct) : IMeasuredMatch
{
    /// <summary>The map that is played.</summary>
    public const string Map = "Cinder Fortress LE";

    /// <summary>Steps of the whole match, as many as the published figures are of.</summary>
    public const int MatchLength = 16_860;

    // A request that plays many steps at once is not interrupted.
    private const int MostAtOnce = 200;

    /// <summary>Every step of the match.</summary>
    public static MatchSteps Whole(CancellationToken ct) => new(1, MatchLength, ct);

    /// <inheritdoc/>
    public int Count => runs * runLength;

    /// <inheritdoc/>
    public string Source => $"simulated, two Elites on {Map}";

    /// <inheritdoc/>
    public string Describe() => (runs, Count) switch
    {
        (_, MatchLength) => $"all {MatchLength:N0} steps",
        (1, _) => $"the first {runLength} of {MatchLength:N0} steps",
        _ => $"{runs} runs of {runLength} consecutive steps, spread evenly over {MatchLength:N0}",
    };

    /// <inheritdoc/>
    /// <exception cref="CommandException">The match ended before its last step.</exception>
    public IEnumerator<MatchStep> GetEnumerator()
    {
        var game = SimulatedFrames.Join(Map, SimulatorDefaults.Seed, 0);
        var answer = new ArrayBufferWriter<byte>(1 << 20);
        var observe = new Request { Observation = new RequestObservation() };
        var played = 0;
        for (var run = 0; run < runs; run++)
        {
            var start = runs == 1 ? 0 : (int)((long)(MatchLength - runLength) * run / (runs - 1));
            for (var index = start; index < start + runLength; index++)
            {
                Play(game, index - played);
                played = index;
                answer.ResetWrittenCount();
                game.Handle(observe, answer);
                var body = ResponseSlicer.Slice(answer.WrittenSpan);
                yield return new MatchStep(
                    index, run, answer.WrittenSpan.Slice(body.BodyStart, body.BodyLength).ToArray());
            }
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private void Play(SimulatedGame game, int steps)
    {
        while (steps > 0)
        {
            ct.ThrowIfCancellationRequested();
            var now = Math.Min(steps, MostAtOnce);
            if (game.Handle(new Request { Step = new RequestStep { Count = (uint)now } }).Status == Status.Ended)
            {
                throw new CommandException("the simulated match ended before its last step");
            }

            steps -= now;
        }
    }
}
