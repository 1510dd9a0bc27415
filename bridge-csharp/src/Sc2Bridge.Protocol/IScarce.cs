namespace Sc2Bridge.Protocol;

/// <summary>Something of which there is little: it is made again rather than kept for who may come.</summary>
public interface IScarce : ILeased
{
    /// <summary>Holds it once more, for who may not hold it; false where it was released already.</summary>
    bool TryRetain();
}
