namespace Sc2Bridge.Protocol;

/// <summary>A scarce resource. It is recreated on demand instead of cached.</summary>
public interface IScarce : ILeased
{
    /// <summary>Tries to add a reference. The caller need not hold one. Returns false if the object was already freed.</summary>
    bool TryRetain();
}
