using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>What a unit does to carry an ability out.</summary>
internal enum AbilityKind
{
    /// <summary>Casts a spell, or does anything that has no other kind.</summary>
    Cast,

    /// <summary>Clears the orders.</summary>
    Stop,

    /// <summary>Goes to a point, or follows a unit, without fighting.</summary>
    Move,

    /// <summary>Goes back and forth and fights enemies on the way.</summary>
    Patrol,

    /// <summary>Stays in place and fights enemies in range.</summary>
    HoldPosition,

    /// <summary>Fights a unit, or fights enemies on the way to a point.</summary>
    Attack,

    /// <summary>Mines.</summary>
    Gather,

    /// <summary>Carries its load to a town hall.</summary>
    Return,

    /// <summary>Builds a building.</summary>
    Build,

    /// <summary>Repairs a building or machine.</summary>
    Repair,

    /// <summary>Turns into another type.</summary>
    Morph,

    /// <summary>Lands and turns into a building on the ground.</summary>
    Land,

    /// <summary>Loads a unit, or enters a transport.</summary>
    Load,

    /// <summary>Unloads units.</summary>
    Unload,

    /// <summary>Produces a unit or an upgrade in a queue.</summary>
    Queue,

    /// <summary>Warps a unit in at a point in a power field.</summary>
    Warp,

    /// <summary>Builds a tech lab or reactor.</summary>
    AddOn,

    /// <summary>Cancels an order, a product or a building.</summary>
    Cancel,

    /// <summary>Sets the point to which new units go.</summary>
    Rally,

    /// <summary>Does what a right click on the target means.</summary>
    Smart,
}

/// <summary>Derives an ability's kind from its facts.</summary>
internal static class AbilityKinds
{
    private static readonly AbilityKind[] Known = [.. TechTree.Abilities.Select(Read)];

    /// <summary>An ability's kind.</summary>
    public static AbilityKind Of(Ability ability) => Known[ability.Place];

    /// <summary>A type's first ability of a kind, or null.</summary>
    public static Ability? Find(UnitType type, AbilityKind kind) => First(type, kind)?.Ability;

    /// <summary>A type's first ability of a kind with its requirements, or null.</summary>
    public static UnitAbility? First(UnitType type, AbilityKind kind)
    {
        for (var i = 0; i < type.Abilities.Length; i++)
        {
            if (Of(type.Abilities[i].Ability) == kind)
            {
                return type.Abilities[i];
            }
        }

        return null;
    }

    private static AbilityKind Read(Ability ability)
    {
        switch (ability.Makes)
        {
            case Makes.Train when ability.Link != "SpawnChangeling": return AbilityKind.Queue;
            case Makes.Research: return AbilityKind.Queue;
            case Makes.Warp: return AbilityKind.Warp;
            case Makes.Build when ability.Link is "TerranBuild" or "ProtossBuild" or "ZergBuild" or "BuildNydusCanal":
                return AbilityKind.Build;
            case Makes.AddOn: return AbilityKind.AddOn;
            case Makes.Morph: return AbilityKind.Morph;
            case Makes.Land: return AbilityKind.Land;
        }

        // A general ability has the kind of the abilities that it stands for. Its own name tells it.
        var name = ability.Friendly;
        return (ability.RemapsTo > 0 ? ability.RemapsTo : ability.Id) switch
        {
            AbilityId.Smart => AbilityKind.Smart,
            AbilityId.Patrol => AbilityKind.Patrol,
            AbilityId.HoldPosition => AbilityKind.HoldPosition,
            AbilityId.Cancel or AbilityId.Halt or AbilityId.CancelLast or AbilityId.CancelSlot => AbilityKind.Cancel,
            AbilityId.Stop => AbilityKind.Stop,
            AbilityId.Attack => AbilityKind.Attack,
            AbilityId.Move => AbilityKind.Move,
            _ when ability.Link.StartsWith("que", StringComparison.Ordinal)
                || name.StartsWith("Cancel", StringComparison.Ordinal)
                || name.StartsWith("Halt", StringComparison.Ordinal) => AbilityKind.Cancel,
            _ when name.StartsWith("Stop", StringComparison.Ordinal) => AbilityKind.Stop,
            _ when name.StartsWith("Harvest Gather", StringComparison.Ordinal) => AbilityKind.Gather,
            _ when name.StartsWith("Harvest Return", StringComparison.Ordinal) => AbilityKind.Return,
            _ when name.StartsWith("Effect Repair", StringComparison.Ordinal) => AbilityKind.Repair,
            _ when name.StartsWith("Rally", StringComparison.Ordinal) => AbilityKind.Rally,
            _ when name.StartsWith("Load", StringComparison.Ordinal) => AbilityKind.Load,
            _ when name.StartsWith("Unload", StringComparison.Ordinal) => AbilityKind.Unload,
            _ => AbilityKind.Cast,
        };
    }
}
