using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>What carrying an ability out means.</summary>
internal enum AbilityKind
{
    /// <summary>Anything else: a spell.</summary>
    Cast,

    /// <summary>Drops the orders.</summary>
    Stop,

    /// <summary>Goes to a place, or after a unit, without fighting.</summary>
    Move,

    /// <summary>Goes to and fro, fighting what it meets.</summary>
    Patrol,

    /// <summary>Stays, and fights what is in range.</summary>
    HoldPosition,

    /// <summary>Fights a unit, or what it meets on the way to a place.</summary>
    Attack,

    /// <summary>Mines.</summary>
    Gather,

    /// <summary>Brings home what it carries.</summary>
    Return,

    /// <summary>Builds a building.</summary>
    Build,

    /// <summary>Repairs a building or machine.</summary>
    Repair,

    /// <summary>Becomes another type.</summary>
    Morph,

    /// <summary>Becomes a standing building at a place.</summary>
    Land,

    /// <summary>Takes a unit in, or goes in.</summary>
    Load,

    /// <summary>Lets units out.</summary>
    Unload,

    /// <summary>Makes a unit or an upgrade in a queue.</summary>
    Queue,

    /// <summary>Makes a unit at a place in a power field.</summary>
    Warp,

    /// <summary>Adds a tech lab or reactor.</summary>
    AddOn,

    /// <summary>Takes back an order, a product or a building.</summary>
    Cancel,

    /// <summary>Says where new units go.</summary>
    Rally,

    /// <summary>What a click means on what it hits.</summary>
    Smart,
}

/// <summary>Reads an ability's kind off its facts.</summary>
internal static class AbilityKinds
{
    private static readonly AbilityKind[] Known = [.. TechTree.Abilities.Select(Read)];

    /// <summary>What carrying an ability out means.</summary>
    public static AbilityKind Of(Ability ability) => Known[ability.Place];

    /// <summary>A type's first ability of a kind, or null.</summary>
    public static Ability? Find(UnitType type, AbilityKind kind) => First(type, kind)?.Ability;

    /// <summary>The same, with what it requires.</summary>
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

        // The general abilities name themselves as those do that they stand for.
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
