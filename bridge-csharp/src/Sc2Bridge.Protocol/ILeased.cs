namespace Sc2Bridge.Protocol;

/// <summary>Something pooled, which is held for as long as it is used.</summary>
public interface ILeased
{
    /// <summary>Lets go of one hold.</summary>
    void Release();
}
