using System.Diagnostics;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Bench;

/// <summary>
/// The processes of the measurements. Each is started when a measurement first needs it, and then serves all later
/// measurements in turn. So its code is warm and its figures are its own.
/// </summary>
/// <param name="pythons">Interpreters with the package, the first being the baseline's.</param>
/// <param name="folder">Where their Unix sockets are. Its owner removes it, with what a killed process left there.</param>
internal sealed class ProcessPool(IReadOnlyList<string> pythons, TemporaryFolder folder) : IAsyncDisposable
{
    private const string Loopback = "127.0.0.1";

    private readonly Dictionary<string, (WorkerProcess Process, object Hello)> _running = [];
    private readonly Dictionary<double, NetworkLink> _links = [];
    private int _sockets;

    internal async Task<(WorkerProcess Process, SenderAddresses Addresses)> SenderAsync(Measurement measurement, CancellationToken ct)
    {
        var sender = measurement.Sender.ToString().ToLowerInvariant();
        var host = (await LinkAsync(measurement, ct))?.Host ?? Loopback;

        // A new name, so that the socket file of a killed process is not in the way.
        var socket = folder[FormattableString.Invariant($"{++_sockets}")];
        return await GetAsync<SenderAddresses>(
            SenderKey(measurement),
            WorkerProcess.Own([
                "send", "--sender", sender, "--host", host, "--socket", socket,
                .. Sleeps(measurement) ? (string[])[SendingProcess.Paced.Name] : [],
            ]),
            ct);
    }

    internal Task<WorkerProcess> AgentAsync(Measurement measurement, CancellationToken ct) => ReceiverAsync(
        measurement,
        AgentKey(measurement),
        measurement.Agent switch
        {
            AgentKind.Csharp => WorkerProcess.Own("receive"),
            AgentKind.Asyncio => PythonScripts.CreateStartInfo(pythons[measurement.Python], "receive", "--asyncio"),
            _ => PythonScripts.CreateStartInfo(pythons[measurement.Python], "receive"),
        },
        ct);

    internal Task<WorkerProcess> SubscribersAsync(Measurement measurement, CancellationToken ct) =>
        ReceiverAsync(measurement, SubscribersKey(measurement), WorkerProcess.Own("receive"), ct);

    /// <summary>Ends the processes of a failed measurement.</summary>
    internal async Task DiscardAsync(Measurement measurement)
    {
        foreach (var key in (string[])[SenderKey(measurement), AgentKey(measurement), SubscribersKey(measurement)])
        {
            if (_running.Remove(key, out var found))
            {
                await found.Process.DisposeAsync();
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        await Task.WhenAll(_running.Values.Select(found => found.Process.DisposeAsync().AsTask()));
        foreach (var link in _links.Values)
        {
            await link.DisposeAsync();
        }
    }

    private static string SenderKey(Measurement measurement) =>
        $"sender {measurement.Sender} {measurement.LinkMbit} {Sleeps(measurement)}";

    // Like a bridge's idle threads. The setting is fixed for the process's life.
    private static bool Sleeps(Measurement measurement) =>
        measurement.Rate > 0 && IdleThreads.ShouldDisableSpinning(StepRate.At(measurement.Rate));

    private static string AgentKey(Measurement measurement) =>
        $"agent {measurement.Agent} {measurement.Python} {measurement.LinkMbit}";

    private static string SubscribersKey(Measurement measurement) => $"subscribers {measurement.LinkMbit}";

    // On the far side of the measurement's link, if it has one.
    private async Task<WorkerProcess> ReceiverAsync(Measurement measurement, string key, ProcessStartInfo start, CancellationToken ct)
    {
        if (await LinkAsync(measurement, ct) is { } link)
        {
            string[] words = [.. link.Inside, start.FileName, .. start.ArgumentList];
            start.FileName = words[0];
            start.ArgumentList.Clear();
            words[1..].ToList().ForEach(start.ArgumentList.Add);
        }

        return (await GetAsync<object>(key, start, ct)).Process;
    }

    private async Task<NetworkLink?> LinkAsync(Measurement measurement, CancellationToken ct)
    {
        if (measurement.LinkMbit > 0 && !_links.ContainsKey(measurement.LinkMbit))
        {
            _links[measurement.LinkMbit] = await NetworkLink.CreateAsync(measurement.LinkMbit, ct);
        }

        return _links.GetValueOrDefault(measurement.LinkMbit);
    }

    private async Task<(WorkerProcess Process, T Hello)> GetAsync<T>(string key, ProcessStartInfo start, CancellationToken ct)
        where T : class
    {
        if (!_running.TryGetValue(key, out var found))
        {
            found = await WorkerProcess.StartAsync<T>(start, ct);
            _running[key] = found;
        }

        return (found.Process, (T)found.Hello);
    }
}
