namespace Sc2Bridge.Protocol;

/// <summary>A pooled object with a reference count.</summary>
public interface ILeased
{
    /// <summary>The memory that the object occupies, in bytes.</summary>
    int Capacity { get; }

    /// <summary>Adds a reference. The caller must already hold one.</summary>
    void Retain();

    /// <summary>Drops a reference.</summary>
    void Release();
}
