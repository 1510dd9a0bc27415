using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Bounds the reports of one match's requests and actions, in bytes by session and of all together: what its recording
/// grows by is not the senders' choice. A refused request is told without its content, which nobody has any use for.
/// Thread-safe.
/// </summary>
internal sealed class RequestBudget
{
    /// <summary>Senders that are told apart; those behind them share one account.</summary>
    public const int MostSenders = 256;

    /// <summary>Bytes of requests, answers and actions of a sender a second: 1,000 answers on placement.</summary>
    public const long BytesPerSecond = 8 << 20;

    /// <summary>And in a match.</summary>
    public const long BytesInAll = 512 << 20;

    /// <summary>Bytes a second of lines on what is told without its content: some 1,000.</summary>
    public const long LinesPerSecond = 256 << 10;

    /// <summary>And in a match.</summary>
    public const long LinesInAll = 32 << 20;

    // All senders together.
    private const int Crowd = 4;
    private const int LongestRefusal = 500;

    private readonly Lock _lock = new();
    private readonly Dictionary<string, Account> _senders = [];
    private readonly Account _others = new("", 1);
    private readonly Account _all = new("", Crowd);

    /// <summary>Holds a request to the budget: takes out of its record what there is no room for.</summary>
    /// <param name="session">The sender's; empty for clients without a subscription, which share one account.</param>
    /// <param name="record">What it was, whole.</param>
    /// <param name="nowNs">When, in nanoseconds of <see cref="MonotonicClock"/>.</param>
    /// <returns>False where nothing of it is to be told: the sender's next record counts it.</returns>
    public bool Take(string session, RequestRecord record, long nowNs)
    {
        lock (_lock)
        {
            var sender = Of(session, record.Agent);
            record.Omitted = sender.Omitted;
            if (record.Refusal.Length > LongestRefusal)
            {
                record.Refusal = record.Refusal[..LongestRefusal];
            }

            if (record.Refusal.Length > 0 || !TakeContent(sender, record.CalculateSize(), nowNs))
            {
                record.Kind = KindOf(record.Request);
                record.Bytes = (ulong)((record.Request?.CalculateSize() ?? 0) + (record.Response?.CalculateSize() ?? 0));
                (record.Request, record.Response) = (null, null);
                var line = record.CalculateSize();
                if (!(sender.Lines.Has(line, nowNs) && _all.Lines.Has(line, nowNs)))
                {
                    sender.Omitted++;
                    return false;
                }

                sender.Lines.Take(line);
                _all.Lines.Take(line);
            }

            sender.Omitted = 0;
            return true;
        }
    }

    /// <summary>The same of actions, which are counted where there is no room for what they were.</summary>
    public void Take(string session, ActionRecord record, long nowNs)
    {
        lock (_lock)
        {
            var bytes = record.CalculateSize();
            if (!TakeContent(Of(session, record.Agent), bytes, nowNs))
            {
                record.Actions.Clear();
                record.Outcome = null;
                record.Bytes = (ulong)bytes;
            }
        }
    }

    /// <summary>What was left out and no record has counted yet, by sender.</summary>
    public IReadOnlyList<RequestRecord> Rest()
    {
        lock (_lock)
        {
            List<RequestRecord> rest =
            [
                .. from sender in _senders.Values.Append(_others)
                   where sender.Omitted > 0
                   select new RequestRecord { Agent = sender.Agent, Omitted = sender.Omitted },
            ];
            foreach (var sender in _senders.Values.Append(_others))
            {
                sender.Omitted = 0;
            }

            return rest;
        }
    }

    private static string KindOf(SC2APIProtocol.Request? request) => request is null
        ? ""
        : SC2APIProtocol.Request.Descriptor.Oneofs[0].Accessor.GetCaseFieldDescriptor(request)?.Name ?? "";

    private bool TakeContent(Account sender, int bytes, long nowNs)
    {
        if (!(sender.Content.Has(bytes, nowNs) && _all.Content.Has(bytes, nowNs)))
        {
            return false;
        }

        sender.Content.Take(bytes);
        _all.Content.Take(bytes);
        return true;
    }

    private Account Of(string session, string agent)
    {
        if (!_senders.TryGetValue(session, out var sender))
        {
            if (_senders.Count == MostSenders)
            {
                return _others;
            }

            _senders[session] = sender = new Account(agent, 1);
        }

        return sender;
    }

    private sealed class Account(string agent, int times)
    {
        public string Agent { get; } = agent;

        public Meter Content { get; } = new(times * BytesPerSecond, times * BytesInAll);

        public Meter Lines { get; } = new(times * LinesPerSecond, times * LinesInAll);

        public ulong Omitted { get; set; }
    }

    private sealed class Meter(long perSecond, long inAll)
    {
        private long _left = inAll;
        private long _leftOfSecond;
        private long _beganNs = long.MinValue;

        public bool Has(int bytes, long nowNs)
        {
            if (_beganNs == long.MinValue || nowNs - _beganNs >= 1_000_000_000)
            {
                (_beganNs, _leftOfSecond) = (nowNs, perSecond);
            }

            return bytes <= _leftOfSecond && bytes <= _left;
        }

        public void Take(int bytes)
        {
            _leftOfSecond -= bytes;
            _left -= bytes;
        }
    }
}
