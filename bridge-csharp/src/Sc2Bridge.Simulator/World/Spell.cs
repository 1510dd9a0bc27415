using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Carries a spell out; false if it cannot.</summary>
internal delegate bool SpellAction(GameWorld world, Unit unit, Order order, Spell spell);

/// <summary>A spell, as spells.tsv has it. Times in game loops, distances in 1/4096 of a cell, points in 1/256.</summary>
/// <param name="row">Its line.</param>
internal sealed class Spell(FactTable.Row row)
{
    private const int Forever = int.MaxValue;

    /// <summary>What happens at once.</summary>
    public SpellAction Do { get; } = Spells.Actions[row.Has("channel_seconds") ? "nothing" : row.Text("does")];

    /// <summary>What its caster does in each loop from then on.</summary>
    public SpellAction? During { get; } = row.Has("channel_seconds") ? Spells.Actions[row.Text("does")] : null;

    /// <summary>What it can be aimed at; null: anything.</summary>
    public Whom? On { get; } = Whom.Read(row.Text("whom"));

    /// <summary>Which of those in its radius it hits.</summary>
    public Whom? Hits { get; } = Whom.Read(row.Text("hits"));

    /// <summary>How long what it brings stays.</summary>
    public int Lasts { get; } = row.Has("seconds") ? row.Loops("seconds") : Forever;

    /// <summary>Until it happens.</summary>
    public int Wait { get; } = row.Loops("wait_seconds");

    /// <summary>How long its caster goes on with it.</summary>
    public int Channel { get; } = row.Text("channel_seconds") == "forever" ? Forever : row.Loops("channel_seconds");

    /// <summary>Between two strokes.</summary>
    public int Every { get; } = row.Loops("every_seconds");

    /// <summary>How long its buff stays on who has left.</summary>
    public int After { get; } = row.Loops("after_seconds");

    /// <summary>Until its effect works.</summary>
    public int Grows { get; } = row.Loops("grows_seconds");

    /// <summary>Of damage, or of life.</summary>
    public int Points { get; } = row.Scaled("points", 256);

    /// <summary>Of what it hits around its place.</summary>
    public int Radius { get; } = row.Scaled("radius", Geometry.Cell);

    /// <summary>How far it goes, or its target may be.</summary>
    public int Reach { get; } = row.Scaled("reach", Geometry.Cell);

    /// <summary>The buff that it brings; 0 for none.</summary>
    public int Buff { get; } = TechTree.Buffs.First(buff => buff.Name == row.Text("buff")).Id;

    /// <summary>The effect that it lays; 0 for none.</summary>
    public int Effect { get; } = TechTree.Effects.First(effect => effect.Friendly == row.Text("effect")).Id;

    /// <summary>The type of unit that it brings.</summary>
    public UnitType? Brings { get; } = row.Has("unit") ? TechTree.Unit(row.Text("unit")) : null;

    /// <summary>How many of them.</summary>
    public int Count { get; } = row.Int("count");

    /// <summary>Why it cannot be carried out.</summary>
    public ActionResult Failure { get; } = Enum.TryParse<ActionResult>(row.Text("failure"), out var failure)
        ? failure
        : ActionResult.MustTargetVisibleLocation;

    /// <summary>The game loop that ends an effect laid now.</summary>
    public int Until(GameWorld world) => Lasts == Forever ? Forever : world.Loop + Lasts;

    /// <summary>Does something to each unit of a player around a place that it hits.</summary>
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
