using Sc2Bridge.Comparing.Cells;

namespace Sc2Bridge.Comparing.Running;

/// <summary>How the processes of a comparison are started.</summary>
/// <param name="Program">The words that start this program, without a command.</param>
/// <param name="Pythons">Interpreters with the package, the first being the baseline's.</param>
/// <param name="Node">The words that start the agent in Node; none where it is not to be had.</param>
public sealed record ProgramWords(
    IReadOnlyList<string> Program, IReadOnlyList<string> Pythons, IReadOnlyList<string> Node);

/// <summary>
/// The processes that take part: each is started when a cell first needs it, and serves all cells after that one by
/// one, so that its code is warm and its figures are its own.
/// </summary>
/// <param name="words">How they are started.</param>
/// <param name="folder">Where their Unix sockets stand. Its owner removes it, whatever a process left there.</param>
public sealed class ProcessPool(ProgramWords words, string folder) : IAsyncDisposable
{
    private const string Loopback = "127.0.0.1";

    private readonly Dictionary<string, (LineProcess Process, object Hello)> _running = [];
    private readonly Dictionary<double, NetworkLink> _links = [];
    private int _sockets;

    /// <summary>What sends a cell.</summary>
    internal async Task<(LineProcess Process, SenderAddresses Addresses)> SenderAsync(Cell cell, CancellationToken ct)
    {
        var sender = cell.Sender.ToString().ToLowerInvariant();
        var host = (await LinkAsync(cell, ct))?.Host ?? Loopback;

        // What a killed one has left is in no later one's way.
        var socket = Path.Combine(folder, FormattableString.Invariant($"{++_sockets}"));
        return await GetAsync<SenderAddresses>(
            SenderKey(cell),
            [.. words.Program, "compare", "send", "--sender", sender, "--host", host, "--socket", socket],
            ct);
    }

    /// <summary>The agent that is measured.</summary>
    internal async Task<LineProcess> AgentAsync(Cell cell, CancellationToken ct)
    {
        IReadOnlyList<string> agent = cell switch
        {
            { Sender: Sender.Game } => Python("poll"),
            { Agent: AgentKind.CSharp or AgentKind.Light } => Hear,
            { Agent: AgentKind.Node } => words.Node,
            { Agent: AgentKind.Asyncio } => Python("hear", "--asyncio"),
            _ => Python("hear"),
        };
        return (await GetAsync<object>(AgentKey(cell), await BehindAsync(cell, agent, ct), ct)).Process;

        IReadOnlyList<string> Python(params string[] arguments) =>
            [words.Pythons[cell.Python], "-m", "sc2bridge.measuring", .. arguments];
    }

    /// <summary>Light readers.</summary>
    internal async Task<LineProcess> ReadersAsync(Cell cell, CancellationToken ct) =>
        (await GetAsync<object>(ReadersKey(cell), await BehindAsync(cell, Hear, ct), ct)).Process;

    /// <summary>Ends what took part in a cell that failed.</summary>
    internal async Task DiscardAsync(Cell cell)
    {
        List<Task> ending = [];
        foreach (var key in (string[])[SenderKey(cell), AgentKey(cell), ReadersKey(cell)])
        {
            if (_running.Remove(key, out var found))
            {
                ending.Add(found.Process.DisposeAsync().AsTask());
            }
        }

        await Task.WhenAll(ending);
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await Task.WhenAll(_running.Values.Select(found => found.Process.DisposeAsync().AsTask()));

        _running.Clear();
        foreach (var link in _links.Values)
        {
            await link.DisposeAsync();
        }

        _links.Clear();
    }

    private IReadOnlyList<string> Hear => [.. words.Program, "compare", "hear"];

    private static string SenderKey(Cell cell) => $"sender {cell.Sender} {cell.LinkMbit}";

    private static string AgentKey(Cell cell) =>
        $"agent {(cell.Sender == Sender.Game ? "of the game" : cell.Agent)} {cell.Python} {cell.LinkMbit}";

    private static string ReadersKey(Cell cell) => $"readers {cell.LinkMbit}";

    // On the other side of the cell's link, where it has one.
    private async Task<IReadOnlyList<string>> BehindAsync(
        Cell cell, IReadOnlyList<string> start, CancellationToken ct) =>
        await LinkAsync(cell, ct) is { } link ? [.. link.Inside, .. start] : start;

    private async Task<NetworkLink?> LinkAsync(Cell cell, CancellationToken ct)
    {
        if (cell.LinkMbit > 0 && !_links.ContainsKey(cell.LinkMbit))
        {
            _links[cell.LinkMbit] = await NetworkLink.CreateAsync(cell.LinkMbit, ct);
        }

        return _links.GetValueOrDefault(cell.LinkMbit);
    }

    private async Task<(LineProcess Process, T Hello)> GetAsync<T>(
        string key, IReadOnlyList<string> start, CancellationToken ct)
        where T : class
    {
        if (_running.TryGetValue(key, out var found))
        {
            return (found.Process, (T)found.Hello);
        }

        var (process, hello) = await LineProcess.StartAsync<T>(start, new Dictionary<string, string>(), ct);
        _running[key] = (process, hello);
        return (process, hello);
    }
}
