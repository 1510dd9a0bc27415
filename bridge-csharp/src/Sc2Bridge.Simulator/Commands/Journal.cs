using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>One action of an API client.</summary>
/// <param name="Loop">The action is carried out after this loop, before the next one.</param>
/// <param name="Player">The client's player.</param>
/// <param name="What">An <see cref="SC2APIProtocol.Action"/>, a <see cref="DebugCommand"/>, or null if the player
/// left.</param>
internal readonly record struct JournalEntry(int Loop, int Player, Google.Protobuf.IMessage? What);

/// <summary>
/// All actions of API clients, in the order of execution: by loop, then by player, then by time of arrival. The order is the
/// same on every machine that plays the match, even if messages cross on their way. The journal and the setup are the whole
/// match: replays store them, and two game processes exchange them.
/// </summary>
internal sealed class Journal
{
    private readonly List<JournalEntry> _entries = [];

    /// <summary>Creates an empty journal.</summary>
    public Journal()
    {
    }

    /// <summary>Copies a journal.</summary>
    public Journal(Journal other) => _entries.AddRange(other._entries);

    public IReadOnlyList<JournalEntry> Entries => _entries;

    /// <summary>Removes all entries.</summary>
    public void Clear() => _entries.Clear();

    /// <summary>Inserts an entry at its place in the order. No entry of its loop may have been carried out yet.</summary>
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
