using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Carries a spell out. Returns false if it fails.</summary>
internal delegate bool SpellAction(GameWorld world, Unit unit, Order order, Spell spell);

/// <summary>A spell of spells.tsv. Times are in game loops, distances in 1/4096 of a cell, points in 1/256.</summary>
/// <param name="row">The spell's line in the table.</param>
internal sealed class Spell(FactTable.Row row)
{
    private const int Forever = int.MaxValue;

    /// <summary>The action when the spell is cast.</summary>
    public SpellAction Do { get; } = Spells.Actions[row.Has("channel_seconds") ? "nothing" : row.Text("does")];

    /// <summary>The action in each loop of a channelled spell. Null if the spell is not channelled.</summary>
    public SpellAction? During { get; } = row.Has("channel_seconds") ? Spells.Actions[row.Text("does")] : null;

    /// <summary>Target filter. Null means no filter.</summary>
    public TargetFilter? On { get; } = TargetFilter.Read(row.Text("whom"));

    /// <summary>Filter of the units within the radius that are hit. Null means no filter.</summary>
    public TargetFilter? Hits { get; } = TargetFilter.Read(row.Text("hits"));

    /// <summary>The duration of the buff, effect or unit.</summary>
    public int Lasts { get; } = row.Has("seconds") ? row.Loops("seconds") : Forever;

    /// <summary>The delay before the action.</summary>
    public int Wait { get; } = row.Loops("wait_seconds");

    /// <summary>How long the caster channels the spell.</summary>
    public int Channel { get; } = row.Text("channel_seconds") == "forever" ? Forever : row.Loops("channel_seconds");

    /// <summary>The time between two repetitions of the action.</summary>
    public int Every { get; } = row.Loops("every_seconds");

    /// <summary>How long the buff stays after a unit has left the effect.</summary>
    public int After { get; } = row.Loops("after_seconds");

    /// <summary>The time until the effect starts to work.</summary>
    public int Grows { get; } = row.Loops("grows_seconds");

    /// <summary>Points of damage or life.</summary>
    public int Points { get; } = row.Scaled("points", 256);

    /// <summary>The radius around the point within which units are hit.</summary>
    public int Radius { get; } = row.Scaled("radius", Geometry.Cell);

    /// <summary>How far the spell reaches, or how far away its target may be.</summary>
    public int Reach { get; } = row.Scaled("reach", Geometry.Cell);

    /// <summary>The buff that it gives; 0 without one.</summary>
    public int Buff { get; } = TechTree.Buffs.First(buff => buff.Name == row.Text("buff")).Id;

    /// <summary>The effect that it creates; 0 without one.</summary>
    public int Effect { get; } = TechTree.Effects.First(effect => effect.Friendly == row.Text("effect")).Id;

    /// <summary>The type of the units that it summons.</summary>
    public UnitType? Brings { get; } = row.Has("unit") ? TechTree.Unit(row.Text("unit")) : null;

    /// <summary>The number of units that it summons.</summary>
    public int Count { get; } = row.Int("count");

    /// <summary>The error if it cannot be carried out.</summary>
    public ActionResult Failure { get; } = Enum.TryParse<ActionResult>(row.Text("failure"), out var failure)
        ? failure
        : ActionResult.MustTargetVisibleLocation;

    /// <summary>The game loop that ends an effect which is created now.</summary>
    public int Until(GameWorld world) => Lasts == Forever ? Forever : world.Loop + Lasts;

    /// <summary>Applies an action to each unit around a point that the spell hits.</summary>
    public bool Around(GameWorld world, int owner, int x, int y, Action<Unit> act)
    {
        foreach (var unit in world.Bins.Near(x, y, Radius + (3 * Geometry.Cell)))
        {
            if (unit.Owner != GameWorld.Neutral && Geometry.Length(unit.X - x, unit.Y - y) <= Radius + unit.Type.Radius
                && Hits?.Fits(owner, unit) != false)
            {
                act(unit);
            }
        }

        return true;
    }
}
