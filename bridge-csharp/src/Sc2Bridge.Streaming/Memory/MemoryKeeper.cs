using Sc2Bridge.Protocol;
using Microsoft.Extensions.Logging;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Checks a ledger once a second. Each publication checks the ledger too, but publications may pause for a long time. If the
/// ledger is over its ceiling, the keeper frees memory. When memory use has fallen a lot, the keeper empties the pools. It
/// returns the freed memory to the system as soon as no match runs.
/// </summary>
/// <remarks>
/// Only a blocking, compacting garbage collection returns memory. In a measurement, this collection reduced the process from 479
/// to 85 MiB; a background collection reduced it to 465 MiB. A blocking collection stops all threads for 100 ms or more.
/// </remarks>
/// <param name="ledger">The ledger.</param>
/// <param name="relieve">Brings the ledger below its ceiling.</param>
/// <param name="isMatchRunning">Whether a match runs. A collection would interrupt it.</param>
/// <param name="logger">Logs the returned memory.</param>
internal sealed class MemoryKeeper(MemoryLedger ledger, Action relieve, Func<bool> isMatchRunning, ILogger logger)
{
    // A smaller fall of memory use is not worth a garbage collection.
    private const long MinFallBytes = 16 << 20;

    // How many seconds memory use must stay low.
    private const int MinSecondsLow = 5;

    // Avoids frequent collections when crowds of clients come and go.
    private const int MinSecondsBetweenFalls = 20;

    private long _highestTotal;
    private int _secondsLow;
    private int _secondsToNextFall;
    private bool _owesCollection;

    /// <summary>Whether memory use has fallen enough to empty the pools. Call this method once a second with the memory in use.</summary>
    internal bool HasFallen(long total)
    {
        _highestTotal = Math.Max(_highestTotal, total);
        _secondsLow = _highestTotal - total >= Math.Max(MinFallBytes, _highestTotal / 2) ? _secondsLow + 1 : 0;
        _secondsToNextFall--;
        if (_secondsLow < MinSecondsLow || _secondsToNextFall > 0)
        {
            return false;
        }

        (_highestTotal, _secondsLow, _secondsToNextFall) = (total, 0, MinSecondsBetweenFalls);
        return true;
    }

    /// <summary>Checks the ledger. Call this method once a second.</summary>
    internal void Check()
    {
        if (ledger.IsOverCeiling)
        {
            relieve();
        }

        if (HasFallen(ledger.Total))
        {
            ledger.Trim();
            MessageBuffer.Trim();
            _owesCollection = true;

            // Collects in the background, because a match may run. The freed memory stays in the process for the next crowd of clients.
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: false);
        }

        if (_owesCollection && !isMatchRunning())
        {
            _owesCollection = false;
            var before = Environment.WorkingSet;

            // Sockets and streams free their memory only in their finalizers.
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
            GC.WaitForPendingFinalizers();
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            StreamingLog.MemoryGivenBack(logger, before >> 20, Environment.WorkingSet >> 20);
        }
    }
}
