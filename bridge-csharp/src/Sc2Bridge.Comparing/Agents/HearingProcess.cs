using Sc2Bridge.Comparing.Running;
using Sc2Bridge.Measuring;

namespace Sc2Bridge.Comparing.Agents;

/// <summary>
/// Subscribers in C#, in a process of their own: one that parses, as an agent, or any number of light readers that look
/// at a frame's head and let it go.
/// </summary>
public static class HearingProcess
{
    /// <summary>Obeys until its standard input ends.</summary>
    /// <param name="ct">Ends it.</param>
    public static Task RunAsync(CancellationToken ct) => OrderLoop.RunAsync<HearOrder, HearResult>(
        new { agent = AgentName() }, HearAsync, ct);

    private static string AgentName() => $".NET {Environment.Version}, HttpClient and ClientWebSocket";

    private static async Task<HearResult> HearAsync(HearOrder order, CancellationToken ct)
    {
        if (order.Compression != "none" || order.Content != "observation" || order.Policy != "every")
        {
            throw new MeasuringException("an agent in C# hears whole, uncompressed observations, every one");
        }

        var meter = new AgentMeter();
        var ears = Enumerable.Range(0, order.Readers).Select(_ => new HeardFrames(order, meter)).ToList();
        await Task.WhenAll(ears.Select(ear => Streams.HearAsync(order, ear, ct)));
        return new HearResult(
            AgentName(),
            [.. ears.SelectMany(ear => ear.HeldUs)],
            [.. ears.SelectMany(ear => ear.ParsedUs)],
            [.. ears.SelectMany(ear => ear.DecodeUs)],
            [.. ears[0].Bytes],
            ears.Sum(ear => ear.Lost),
            meter.Seconds,
            meter.CpuSeconds,
            Environment.WorkingSet);
    }
}
