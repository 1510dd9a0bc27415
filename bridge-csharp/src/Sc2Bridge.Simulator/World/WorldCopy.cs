using System.Diagnostics.CodeAnalysis;

namespace Sc2Bridge.Simulator.World;

/// <summary>A mutable object of a match that refers to other objects of the match.</summary>
internal abstract class Copyable
{
    /// <summary>A copy that shares all objects with this one until <see cref="Separate"/> is called on it.</summary>
    public Copyable ShallowCopy() => (Copyable)MemberwiseClone();

    /// <summary>Replaces each mutable object in a shallow copy by a copy.</summary>
    public abstract void Separate(WorldCopy copies);
}

/// <summary>
/// Copies of a match's objects. Each object is copied once, so that copies refer to each other as the originals do. Maps, facts and
/// messages of the API do not change, so copies share them.
/// </summary>
/// <param name="world">The world to copy, between two loops.</param>
internal sealed class WorldCopy(GameWorld world)
{
    private readonly Unit?[] _units = new Unit?[world.UnitsMade];
    private readonly Dictionary<Copyable, Copyable> _others = new(ReferenceEqualityComparer.Instance);

    // The copies are separated one after the other: a chain of units that refer to each other can be longer than the stack.
    private readonly Queue<Copyable> _shallow = new(world.Units.Count);

    /// <summary>The copy of an object.</summary>
    public T Of<T>(T original)
        where T : Copyable
    {
        if (!_others.TryGetValue(original, out var copy))
        {
            copy = Begin(original);
            _others.Add(original, copy);
        }

        return (T)copy;
    }

    /// <summary>The copy of a unit. The unit may be dead.</summary>
    [return: NotNullIfNotNull(nameof(original))]
    public Unit? UnitOf(Unit? original) => original is null ? null
        : _units[original.Number - Unit.FirstNumber] ??= (Unit)Begin(original);

    /// <summary>A list with the copies of units.</summary>
    public List<Unit> UnitsOf(List<Unit> originals) => originals.ConvertAll(unit => UnitOf(unit));

    /// <summary>Separates all copies from their originals.</summary>
    public void Finish()
    {
        while (_shallow.TryDequeue(out var copy))
        {
            copy.Separate(this);
        }
    }

    private Copyable Begin(Copyable original)
    {
        var copy = original.ShallowCopy();
        _shallow.Enqueue(copy);
        return copy;
    }
}
