using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>One thing that an API client did to the match.</summary>
/// <param name="Loop">It is carried out before the next loop after this one.</param>
/// <param name="Player">Whose client.</param>
/// <param name="What">An <see cref="SC2APIProtocol.Action"/>, a <see cref="DebugCommand"/>, or null where the player
/// left.</param>
internal readonly record struct JournalEntry(int Loop, int Player, Google.Protobuf.IMessage? What);

/// <summary>
/// Everything that API clients did, in the order in which it is carried out: by loop, then by player, then as it came.
/// The same on every machine that plays the match, however their messages crossed. With the setup it is the whole
/// match: a replay, a quick save, and what two game processes tell each other.
/// </summary>
internal sealed class Journal
{
    private readonly List<JournalEntry> _entries = [];

    /// <summary>An empty journal.</summary>
    public Journal()
    {
    }

    /// <summary>A copy.</summary>
    public Journal(Journal other) => _entries.AddRange(other._entries);

    /// <summary>The entries in their order.</summary>
    public IReadOnlyList<JournalEntry> Entries => _entries;

    /// <summary>Puts an entry where it belongs; nothing of its loop has been carried out yet.</summary>
    public void Add(JournalEntry entry)
    {
        var at = _entries.Count;
        while (at > 0 && (_entries[at - 1].Loop, _entries[at - 1].Player).CompareTo((entry.Loop, entry.Player)) > 0)
        {
            at--;
        }

        _entries.Insert(at, entry);
    }
}
