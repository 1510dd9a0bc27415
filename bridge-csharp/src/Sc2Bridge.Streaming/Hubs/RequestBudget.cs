using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Bounds the reports of one match's requests and actions, in bytes by session and of all together: what its recording
/// grows by is not the senders' choice. A part is kept for each sender: the others cannot use it up. A refused
/// request is recorded without its content. Thread-safe.
/// </summary>
internal sealed class RequestBudget
{
    /// <summary>Senders with an account. A new sender takes the place of the sender that was silent for longest.</summary>
    public const int MostSenders = 64;

    /// <summary>Bytes of requests, answers and actions of a sender a second: 1,000 answers on placement.</summary>
    public const long BytesPerSecond = 8 << 20;

    /// <summary>And in a match.</summary>
    public const long BytesInAll = 512 << 20;

    /// <summary>Bytes a second of lines on requests and actions that are recorded without their content: some 1,000.</summary>
    public const long LinesPerSecond = 256 << 10;

    /// <summary>And in a match.</summary>
    public const long LinesInAll = 32 << 20;

    // All senders share four times the limit of one. Each sender also has a kept part: all kept parts together are the limit of one.
    private const int Crowd = 4;
    private const int LongestRefusal = 500;

    private readonly Lock _lock = new();
    private readonly Dictionary<string, Account> _senders = [];
    private readonly ByteBucket _content = new(Crowd * BytesPerSecond, Crowd * BytesInAll);
    private readonly ByteBucket _lines = new(Crowd * LinesPerSecond, Crowd * LinesInAll);
    private ulong _omittedOfReplaced;

    /// <summary>Holds a request to the budget: takes out of its record what there is no room for.</summary>
    /// <param name="session">The sender's; empty for clients without a subscription, which share one account.</param>
    /// <param name="record">What it was, whole.</param>
    /// <param name="nowNs">When, in nanoseconds of <see cref="MonotonicClock"/>.</param>
    /// <returns>False if nothing of it is to be recorded: the sender's next record counts it.</returns>
    public bool Take(string session, RequestRecord record, long nowNs)
    {
        lock (_lock)
        {
            var sender = Of(session, record.Agent, nowNs);
            record.Omitted = sender.Omitted;
            if (record.Refusal.Length > LongestRefusal)
            {
                record.Refusal = record.Refusal[..LongestRefusal];
            }

            if (record.Refusal.Length > 0 || !sender.Content.Take(_content, record.CalculateSize(), nowNs))
            {
                record.Kind = KindOf(record.Request);
                record.Bytes = (ulong)((record.Request?.CalculateSize() ?? 0) + (record.Response?.CalculateSize() ?? 0));
                (record.Request, record.Response) = (null, null);
                if (!TakeLine(sender, record.CalculateSize(), nowNs))
                {
                    return false;
                }
            }

            sender.Omitted = 0;
            return true;
        }
    }

    /// <summary>The same for actions. A sender that only watches has lines, and no content.</summary>
    public bool Take(string session, ActionRecord record, long nowNs, bool mayAct)
    {
        lock (_lock)
        {
            var (sender, bytes) = (Of(session, record.Agent, nowNs), record.CalculateSize());
            if (mayAct && sender.Content.Take(_content, bytes, nowNs))
            {
                return true;
            }

            record.Actions.Clear();
            record.Outcome = mayAct ? null : record.Outcome;
            record.Bytes = (ulong)bytes;
            return TakeLine(sender, record.CalculateSize(), nowNs);
        }
    }

    /// <summary>What was left out and no record has counted yet, by sender.</summary>
    public IReadOnlyList<RequestRecord> Rest()
    {
        lock (_lock)
        {
            List<RequestRecord> rest =
            [
                .. from sender in _senders.Values
                   where sender.Omitted > 0
                   select new RequestRecord { Agent = sender.Agent, Omitted = sender.Omitted },
            ];
            if (_omittedOfReplaced > 0)
            {
                rest.Add(new RequestRecord { Omitted = _omittedOfReplaced });
            }

            foreach (var sender in _senders.Values)
            {
                sender.Omitted = 0;
            }

            _omittedOfReplaced = 0;
            return rest;
        }
    }

    private static string KindOf(SC2APIProtocol.Request? request) => request is null
        ? ""
        : SC2APIProtocol.Request.Descriptor.Oneofs[0].Accessor.GetCaseFieldDescriptor(request)?.Name ?? "";

    private bool TakeLine(Account sender, int bytes, long nowNs)
    {
        var hasRoom = sender.Lines.Take(_lines, bytes, nowNs);
        sender.Omitted += hasRoom ? 0u : 1u;
        return hasRoom;
    }

    private Account Of(string session, string agent, long nowNs)
    {
        if (!_senders.TryGetValue(session, out var sender))
        {
            var replaced = _senders.Count == MostSenders ? _senders.MinBy(one => one.Value.LastNs) : default;
            if (replaced.Value is { } gone)
            {
                _senders.Remove(replaced.Key);
                _omittedOfReplaced += gone.Omitted;
            }

            _senders[session] = sender = new Account(agent, replaced.Value);
        }

        sender.LastNs = nowNs;
        return sender;
    }

    // A new sender gets the kept part of the sender that it replaces: many short sessions get no more.
    private sealed class Account(string agent, Account? replaced)
    {
        public string Agent { get; } = agent;

        public Share Content { get; } = new(BytesPerSecond, BytesInAll, replaced?.Content);

        public Share Lines { get; } = new(LinesPerSecond, LinesInAll, replaced?.Lines);

        public ulong Omitted { get; set; }

        public long LastNs { get; set; }
    }

    private sealed class Share(long perSecond, long inAll, Share? replaced)
    {
        private readonly ByteBucket _own = new(perSecond, inAll);
        private readonly ByteBucket _kept = replaced?._kept ?? new(perSecond / MostSenders, inAll / MostSenders);

        // Takes the bytes from the shared bucket first, then from the kept part.
        public bool Take(ByteBucket shared, int bytes, long nowNs)
        {
            var source = shared.Has(bytes, nowNs) ? shared : _kept;
            if (!(_own.Has(bytes, nowNs) && source.Has(bytes, nowNs)))
            {
                return false;
            }

            _own.Take(bytes);
            source.Take(bytes);
            return true;
        }
    }
}
