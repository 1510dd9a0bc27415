using SC2APIProtocol;
using Sc2Bridge.Simulator.Observing;

namespace Sc2Bridge.Native;

/// <summary>
/// Assigns units to rows of arrays, like Python's <c>sc2bridge.gym.slots.Slots</c>: first own units, then enemies, then neutral
/// units. Not thread-safe.
/// </summary>
internal sealed class SlotRows
{
    private readonly ulong[] _tags;
    private readonly int[] _units;
    private readonly (int Start, int Length, Alliance Alliance)[] _parts;
    private readonly List<int> _new = [];
    private readonly Dictionary<ulong, int> _there = [];

    public SlotRows((int Own, int Enemies, int Neutral) rows)
    {
        _parts =
        [
            (0, rows.Own, Alliance.Self),
            (rows.Own, rows.Enemies, Alliance.Enemy),
            (rows.Own + rows.Enemies, rows.Neutral, Alliance.Neutral),
        ];
        var count = rows.Own + rows.Enemies + rows.Neutral;
        (_tags, _units) = (new ulong[count], new int[count]);
        Clear();
    }

    /// <summary>For each row, the index of its unit in the newest observation; -1 for a row without a unit.</summary>
    public ReadOnlySpan<int> Units => _units;

    public ReadOnlySpan<int> Own => _units.AsSpan(0, _parts[0].Length);

    public ReadOnlySpan<int> Enemies => _units.AsSpan(_parts[1].Start, _parts[1].Length);

    /// <summary>Removes all units, for a new match.</summary>
    public void Clear()
    {
        Array.Clear(_tags);
        Array.Fill(_units, -1);
    }

    /// <summary>Assigns the units of a new observation. A unit that has a row keeps it.</summary>
    public void Assign(ReadOnlySpan<ObservedUnit> units)
    {
        Array.Fill(_units, -1);
        foreach (var (start, length, alliance) in _parts)
        {
            Assign(units, alliance, _tags.AsSpan(start, length), _units.AsSpan(start, length));
        }
    }

    private void Assign(ReadOnlySpan<ObservedUnit> units, Alliance alliance, Span<ulong> tags, Span<int> rows)
    {
        _there.Clear();
        _new.Clear();
        for (var unit = 0; unit < units.Length; unit++)
        {
            if (units[unit].Alliance == alliance)
            {
                _there[units[unit].Tag] = unit;
            }
        }

        if (_there.Count == 0)
        {
            return;
        }

        for (var row = 0; row < rows.Length; row++)
        {
            if (tags[row] != 0 && _there.Remove(tags[row], out var unit))
            {
                rows[row] = unit;
            }
        }

        _new.AddRange(_there.Values);
        _new.Sort(); // The order of the observation.
        var used = FillRows(units, tags, rows, 0, mayReplace: false);
        FillRows(units, tags, rows, used, mayReplace: true);
    }

    // New units first get rows that never had a unit. Returns how many new units have rows.
    private int FillRows(ReadOnlySpan<ObservedUnit> units, Span<ulong> tags, Span<int> rows, int used, bool mayReplace)
    {
        for (var row = 0; row < rows.Length && used < _new.Count; row++)
        {
            if (rows[row] < 0 && (mayReplace || tags[row] == 0))
            {
                (tags[row], rows[row]) = (units[_new[used]].Tag, _new[used]);
                used++;
            }
        }

        return used;
    }
}
