using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Limits how much one match's requests and actions can add to its recording, in bytes per session and in total. Each sender also
/// has a reserved part of the total, which others cannot use up. A refused request is recorded without its content. Thread-safe.
/// </summary>
internal sealed class RequestBudget
{
    /// <summary>The most senders whose bytes are counted separately. A new sender replaces the sender that has been silent for longest.</summary>
    public const int MostSenders = 64;

    /// <summary>
    /// Bytes per second of one sender's requests, answers and actions: enough for 1,000 answers to placement queries.
    /// </summary>
    public const long ContentBytesPerSecond = 8 << 20;

    /// <summary>The same limit for a whole match.</summary>
    public const long ContentBytesInAll = 512 << 20;

    /// <summary>Bytes per second of entries that are recorded without their content: about 1,000 entries.</summary>
    public const long EntryBytesPerSecond = 256 << 10;

    /// <summary>The same limit for a whole match.</summary>
    public const long EntryBytesInAll = 32 << 20;

    // All senders together may use four times the limit of one sender. All reserved parts together are as large as the
    // limit of one sender.
    private const int SharedFactor = 4;
    private const int MaxRefusalLength = 500;

    private readonly Lock _lock = new();
    private readonly Dictionary<string, Account> _senders = [];
    private readonly ByteBucket _content = new(SharedFactor * ContentBytesPerSecond, SharedFactor * ContentBytesInAll);
    private readonly ByteBucket _entries = new(SharedFactor * EntryBytesPerSecond, SharedFactor * EntryBytesInAll);
    private ulong _omittedOfReplaced;

    /// <summary>Applies the budget to a request. If the request does not fit, its content is removed from the record.</summary>
    /// <param name="session">The sender's session; empty for clients without a subscription, which are counted together.</param>
    /// <param name="record">The whole request.</param>
    /// <param name="nowNs">The time, in nanoseconds of <see cref="MonotonicClock"/>.</param>
    /// <returns>False if the request is not recorded at all. The sender's next record then counts the omitted request.</returns>
    public bool TryConsume(string session, RequestRecord record, long nowNs)
    {
        lock (_lock)
        {
            var sender = AccountOf(session, record.Agent, nowNs);
            record.Omitted = sender.Omitted;
            if (record.Refusal.Length > MaxRefusalLength)
            {
                record.Refusal = record.Refusal[..MaxRefusalLength];
            }

            if (record.Refusal.Length > 0 || !sender.Content.TryConsume(_content, record.CalculateSize(), nowNs))
            {
                record.Kind = KindOf(record.Request);
                record.Bytes = (ulong)((record.Request?.CalculateSize() ?? 0) + (record.Response?.CalculateSize() ?? 0));
                (record.Request, record.Response) = (null, null);
                if (!TryConsumeEntry(sender, record.CalculateSize(), nowNs))
                {
                    return false;
                }
            }

            sender.Omitted = 0;
            return true;
        }
    }

    /// <summary>Applies the budget to actions. Actions of a sender that only watches are recorded without their content.</summary>
    public bool TryConsume(string session, ActionRecord record, long nowNs, bool mayAct)
    {
        lock (_lock)
        {
            var (sender, bytes) = (AccountOf(session, record.Agent, nowNs), record.CalculateSize());
            if (mayAct && sender.Content.TryConsume(_content, bytes, nowNs))
            {
                return true;
            }

            record.Actions.Clear();
            record.Outcome = mayAct ? null : record.Outcome;
            record.Bytes = (ulong)bytes;
            return TryConsumeEntry(sender, record.CalculateSize(), nowNs);
        }
    }

    /// <summary>Returns how many requests and actions of each sender were left out and are not counted in a record yet. Resets the numbers.</summary>
    public IReadOnlyList<RequestRecord> TakeOmitted()
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

    private bool TryConsumeEntry(Account sender, int bytes, long nowNs)
    {
        var hasRoom = sender.Entries.TryConsume(_entries, bytes, nowNs);
        sender.Omitted += hasRoom ? 0u : 1u;
        return hasRoom;
    }

    private Account AccountOf(string session, string agent, long nowNs)
    {
        if (!_senders.TryGetValue(session, out var sender))
        {
            var replaced = _senders.Count == MostSenders ? _senders.MinBy(one => one.Value.LastNs) : default;
            if (replaced.Value is { } silent)
            {
                _senders.Remove(replaced.Key);
                _omittedOfReplaced += silent.Omitted;
            }

            _senders[session] = sender = new Account(agent, replaced.Value);
        }

        sender.LastNs = nowNs;
        return sender;
    }

    // A new sender gets the reserved part of the sender that it replaces, so a client gains nothing from many short sessions.
    private sealed class Account(string agent, Account? replaced)
    {
        public string Agent { get; } = agent;

        public Share Content { get; } = new(ContentBytesPerSecond, ContentBytesInAll, replaced?.Content);

        public Share Entries { get; } = new(EntryBytesPerSecond, EntryBytesInAll, replaced?.Entries);

        public ulong Omitted { get; set; }

        public long LastNs { get; set; }
    }

    private sealed class Share(long perSecond, long total, Share? replaced)
    {
        private readonly ByteBucket _own = new(perSecond, total);
        private readonly ByteBucket _reserved = replaced?._reserved ?? new(perSecond / MostSenders, total / MostSenders);

        // Consumes from the shared bucket if it has room, otherwise from the reserved part.
        public bool TryConsume(ByteBucket shared, int bytes, long nowNs)
        {
            var source = shared.HasRoomFor(bytes, nowNs) ? shared : _reserved;
            if (!(_own.HasRoomFor(bytes, nowNs) && source.HasRoomFor(bytes, nowNs)))
            {
                return false;
            }

            _own.Consume(bytes);
            source.Consume(bytes);
            return true;
        }
    }
}
