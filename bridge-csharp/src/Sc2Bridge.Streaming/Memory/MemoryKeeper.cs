using Sc2Bridge.Protocol;
using Microsoft.Extensions.Logging;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Looks after a ledger on a timer, as nothing may be published for long: relieves it where it is over its ceiling, and
/// gives memory back to the system once much less is held than before.
/// </summary>
/// <remarks>Twice upon a fall, as a collection that gives memory back stops the process for some milliseconds.</remarks>
internal sealed class MemoryKeeper : IDisposable
{
    // Less than that is not worth a collection.
    private const long LeastFall = 64 << 20;

    // A fall must last.
    private const int Patience = 5;

    // Pools let go of what was used lately only in a second collection, when the last of a crowd's connections are gone too.
    private const int Again = 20;
    private static readonly TimeSpan Period = TimeSpan.FromSeconds(1);

    private readonly MemoryLedger _ledger;
    private readonly Action _relieve;
    private readonly ILogger _logger;
    private readonly Timer _timer;
    private long _high;
    private int _low;
    private int _again;

    /// <param name="ledger">What is looked after.</param>
    /// <param name="relieve">Gets it below its ceiling.</param>
    /// <param name="logger">Logs what was given back.</param>
    public MemoryKeeper(MemoryLedger ledger, Action relieve, ILogger logger)
    {
        (_ledger, _relieve, _logger) = (ledger, relieve, logger);
        _timer = new Timer(static keeper => ((MemoryKeeper)keeper!).Look(), this, Period, Period);
    }

    /// <inheritdoc/>
    public void Dispose() => _timer.Dispose();

    /// <summary>Whether memory is to be given back now, where so much is held; to be called once a second.</summary>
    internal bool HasFallen(long total)
    {
        _high = Math.Max(_high, total);
        _low = _high - total >= Math.Max(LeastFall, _high / 2) ? _low + 1 : 0;
        if (_low < Patience)
        {
            return false;
        }

        (_high, _low) = (total, 0);
        return true;
    }

    private void Look()
    {
        if (_ledger.IsOver)
        {
            _relieve();
        }

        var fallen = HasFallen(_ledger.Total);
        _again = fallen ? Again : _again - 1;
        if (fallen || _again == 0)
        {
            _ledger.Trim();
            MessageBuffer.Trim();
            var before = Environment.WorkingSet;
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            StreamingLog.MemoryGivenBack(_logger, before >> 20, Environment.WorkingSet >> 20);
        }
    }
}
