using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Power fields: around pylons and warp prisms in phasing mode.</summary>
internal sealed class Power : Copyable
{
    /// <summary>The unit at the center of each power field, and the field's radius in 1/4096 of a cell.</summary>
    public List<(Unit Source, int Radius)> Sources { get; private set; } = [];

    /// <summary>Whether a point is in a player's power field.</summary>
    /// <param name="owner">The player.</param>
    /// <param name="x">In 1/4096 of a cell.</param>
    /// <param name="y">In 1/4096 of a cell.</param>
    public bool At(int owner, int x, int y) => Sources.Exists(field => field.Source.Owner == owner && field.Source.Alive
        && Geometry.Length(field.Source.X - x, field.Source.Y - y) <= field.Radius);

    /// <summary>Updates the power fields, and the buildings in them.</summary>
    public void Update(GameWorld world)
    {
        Sources.Clear();
        foreach (var unit in world.Units)
        {
            // The table also has a radius for buildings that need power, but these create no field.
            var source = unit.Type.PowerRadius > 0 && !unit.Type.Is(Kind.NeedsPower);
            if (source && unit.Alive && unit.Finished && unit.Present)
            {
                Sources.Add((unit, unit.Type.PowerRadius));
            }
        }

        foreach (var unit in world.Units)
        {
            if (unit.Type.Is(Kind.NeedsPower))
            {
                unit.Powered = At(unit.Owner, unit.X, unit.Y);
            }
        }
    }

    /// <inheritdoc/>
    public override void Separate(WorldCopy copies) =>
        Sources = Sources.ConvertAll(field => (copies.UnitOf(field.Source), field.Radius));
}
