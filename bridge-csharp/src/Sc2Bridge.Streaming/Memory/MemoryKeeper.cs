using Sc2Bridge.Protocol;
using Microsoft.Extensions.Logging;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Looks after a ledger once a second, as nothing may be published for long: relieves it if it is over its ceiling, empties the
/// pools once much less is held than before, and gives that memory back to the system once no match runs.
/// </summary>
/// <remarks>
/// Only a blocking, compacting collection gives memory back (measured: 479 to 85 MiB; a background one, 479 to 465), and it
/// stops all threads for 100 ms and more.
/// </remarks>
/// <param name="ledger">What is looked after.</param>
/// <param name="relieve">Gets it below its ceiling.</param>
/// <param name="matchRuns">Whether a match runs, which a collection would stop.</param>
/// <param name="logger">Logs what was given back.</param>
internal sealed class MemoryKeeper(MemoryLedger ledger, Action relieve, Func<bool> matchRuns, ILogger logger)
{
    // Less than that is not worth a collection.
    private const long LeastFall = 16 << 20;

    // A fall must last.
    private const int Patience = 5;

    // Seconds from one time to the next, for a crowd that comes and goes.
    private const int Rest = 20;

    private long _high;
    private int _low;
    private int _rest;
    private bool _owes;

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

    /// <summary>To be called once a second.</summary>
    internal void Look()
    {
        if (ledger.IsOver)
        {
            relieve();
        }

        if (HasFallen(ledger.Total))
        {
            ledger.Trim();
            MessageBuffer.Trim();
            _owes = true;

            // In the background, as a match goes on. The next crowd gets the memory of this one.
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: false);
        }

        if (_owes && !matchRuns())
        {
            _owes = false;
            var before = Environment.WorkingSet;

            // What sockets and streams hold is free only after their finalizers.
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
            GC.WaitForPendingFinalizers();
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            StreamingLog.MemoryGivenBack(logger, before >> 20, Environment.WorkingSet >> 20);
        }
    }
}
