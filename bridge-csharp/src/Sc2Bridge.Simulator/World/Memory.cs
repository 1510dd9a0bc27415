using System.Runtime.InteropServices;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>A building or resource as it was when it was last seen.</summary>
/// <param name="Unit">The unit. It may have changed, moved or died since.</param>
/// <param name="Type">Its type then.</param>
/// <param name="X">Its position then.</param>
/// <param name="Y">Its position then.</param>
/// <param name="Facing">Its direction then. 0 if it was never in sight, as in the game.</param>
/// <param name="Seen">Whether it was ever in sight. Players know neutral objects before they see them.</param>
/// <param name="BuildLeft">Loops until it was built.</param>
/// <param name="Gone">Whether it is dead. The player does not know that.</param>
internal readonly record struct Snapshot(
    Unit Unit, UnitType Type, int X, int Y, int Facing, bool Seen, int BuildLeft, bool Gone);

/// <summary>The buildings and resources that a player remembers.</summary>
/// <param name="player">The player's id.</param>
internal sealed class Memory(int player) : Copyable
{
    private Dictionary<ulong, Snapshot> _known = [];

    /// <summary>The remembered units that the player does not see now.</summary>
    public IEnumerable<Snapshot> Unseen() => _known.Values.Where(known => !known.Unit.Alive || !SeenNow(known.Unit))
        .Select(known => known with { Gone = !known.Unit.Alive });

    /// <summary>Whether the player remembers a unit.</summary>
    public bool Has(Unit unit) => _known.ContainsKey(unit.Tag);

    /// <summary>A remembered unit by its tag, or null.</summary>
    public Unit? Find(ulong tag) => _known.TryGetValue(tag, out var known) ? known.Unit : null;

    /// <summary>Remembers the units in sight, and forgets units that have left their remembered position.</summary>
    public void Update(GameWorld world)
    {
        foreach (var unit in world.Units)
        {
            // Every player knows the neutral objects from the start, as in the game.
            var seen = SeenNow(unit);
            if (unit.Alive && unit.Owner != player && Stays(unit)
                && (seen || (world.Loop == 0 && unit.Owner == GameWorld.Neutral)))
            {
                ref var known = ref CollectionsMarshal.GetValueRefOrAddDefault(_known, unit.Tag, out _);
                known = new Snapshot(
                    unit, unit.Type, unit.X, unit.Y, seen ? unit.Facing : 0, seen, unit.BuildLeft, Gone: false);
            }
        }

        if (_known.Values.Any(IsRefuted))
        {
            // A new dictionary, because the order in one with gaps depends on the gaps, which a copy would not have.
            _known = new(_known.Where(known => !IsRefuted(known.Value)));
        }

        bool IsRefuted(Snapshot known)
        {
            var there = known.Unit.Alive && known.Unit.X == known.X && known.Unit.Y == known.Y && Stays(known.Unit);
            return !there && (world.Vision.Sees(player, known.X, known.Y) || (known.Unit.Alive && SeenNow(known.Unit)));
        }
    }

    /// <inheritdoc/>
    public override void Separate(WorldCopy copies)
    {
        var known = new Dictionary<ulong, Snapshot>(_known.Count);
        foreach (var (tag, snapshot) in _known)
        {
            known.Add(tag, snapshot with { Unit = copies.UnitOf(snapshot.Unit) });
        }

        _known = known;
    }

    private static bool Stays(Unit unit) =>
        unit.Type.Speed == 0 && !unit.Flying && unit.Expires == 0 && (unit.Owner == GameWorld.Neutral || unit.Type.Is(Kind.Structure));

    private bool SeenNow(Unit unit) => ((unit.SeenBy >> player) & 1) != 0;
}
