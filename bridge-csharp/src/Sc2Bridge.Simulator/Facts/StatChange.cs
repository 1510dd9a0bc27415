namespace Sc2Bridge.Simulator.Facts;

/// <summary>The values of a unit type that an upgrade can change.</summary>
internal enum Stat
{
    /// <summary>The range of its weapons, in cells.</summary>
    Range,

    /// <summary>Its speed, in percent.</summary>
    Speed,

    /// <summary>The rate of its weapons, in percent.</summary>
    Haste,

    Life,

    Armor,

    /// <summary>Damage against light units, in points.</summary>
    Light,

    /// <summary>Places for passengers.</summary>
    Cargo,
}

/// <summary>The amount that an upgrade adds to a value of a unit type.</summary>
internal readonly record struct StatChange(int Upgrade, Stat Stat, int Value);
