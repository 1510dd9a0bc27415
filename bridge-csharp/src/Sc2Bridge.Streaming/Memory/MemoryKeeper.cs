using Sc2Bridge.Protocol;
using Microsoft.Extensions.Logging;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Looks after a ledger on a timer, as nothing may be published for long: relieves it if it is over its ceiling, empties the
/// pools once much less is held than before, and gives that memory back to the system once no match runs.
/// </summary>
/// <remarks>
/// Only a blocking, compacting collection gives memory back (measured: 479 to 85 MiB; a background one, 479 to 465), and it
/// stops all threads for 100 ms and more.
/// </remarks>
internal sealed class MemoryKeeper : IDisposable
{
    // Less than that is not worth a collection.
    private const long LeastFall = 16 << 20;

    // A fall must last.
    private const int Patience = 5;

    // Seconds from one time to the next, for a crowd that comes and goes.
    private const int Rest = 20;
    private static readonly TimeSpan Period = TimeSpan.FromSeconds(1);

    private readonly MemoryLedger _ledger;
    private readonly Action _relieve;
    private readonly Func<bool> _matchRuns;
    private readonly ILogger _logger;
    private readonly SidePath _path;
    private readonly PeriodicTimer _timer = new(Period);
    private long _high;
    private int _low;
    private int _rest;
    private bool _owes;

    /// <param name="ledger">What is looked after.</param>
    /// <param name="relieve">Gets it below its ceiling.</param>
    /// <param name="matchRuns">Whether a match runs, which a collection would stop.</param>
    /// <param name="logger">Logs what was given back.</param>
    public MemoryKeeper(MemoryLedger ledger, Action relieve, Func<bool> matchRuns, ILogger logger)
    {
        (_ledger, _relieve, _matchRuns, _logger) = (ledger, relieve, matchRuns, logger);
        _path = new SidePath("memory", logger);
        _ = RunAsync();
    }

    /// <inheritdoc/>
    public void Dispose() => _timer.Dispose();

    /// <summary>Whether the pools are to be emptied now, if so much is held; to be called once a second.</summary>
    internal bool HasFallen(long total)
    {
        _high = Math.Max(_high, total);
        _low = _high - total >= Math.Max(LeastFall, _high / 2) ? _low + 1 : 0;
        _rest--;
        if (_low < Patience || _rest > 0)
        {
            return false;
        }

        (_high, _low, _rest) = (total, 0, Rest);
        return true;
    }

    private async Task RunAsync()
    {
        while (await _timer.WaitForNextTickAsync().ConfigureAwait(false))
        {
            _path.Try(this, static keeper => keeper.Look());
        }
    }

    /// <summary>To be called once a second.</summary>
    internal void Look()
    {
        if (_ledger.IsOver)
        {
            _relieve();
        }

        if (HasFallen(_ledger.Total))
        {
            _ledger.Trim();
            MessageBuffer.Trim();
            _owes = true;

            // In the background, as a match goes on. The next crowd gets the memory of this one.
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: false);
        }

        if (_owes && !_matchRuns())
        {
            _owes = false;
            var before = Environment.WorkingSet;

            // What sockets and streams hold is free only after their finalizers.
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
            GC.WaitForPendingFinalizers();
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            StreamingLog.MemoryGivenBack(_logger, before >> 20, Environment.WorkingSet >> 20);
        }
    }
}
