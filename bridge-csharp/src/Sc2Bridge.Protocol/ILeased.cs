namespace Sc2Bridge.Protocol;

/// <summary>Something pooled, which is held for as long as it is used.</summary>
public interface ILeased
{
    /// <summary>Releases one hold.</summary>
    void Release();
}
