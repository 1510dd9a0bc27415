using SC2APIProtocol;

namespace Sc2Bridge.Protocol;

/// <summary>The interface that the bridge and the native library request.</summary>
public static class DefaultInterface
{
    /// <summary>Observations of units, map state and score. Every option has an explicit value, as in requests of clients of the game's API.</summary>
    public static InterfaceOptions Create() => new()
    {
        Raw = true,
        Score = true,
        ShowCloaked = false,
        ShowBurrowedShadows = false,
        ShowPlaceholders = false,
        RawAffectsSelection = false,
        RawCropToPlayableArea = false,
    };
}
