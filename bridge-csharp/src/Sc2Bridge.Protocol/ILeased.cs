namespace Sc2Bridge.Protocol;

/// <summary>Something pooled, which is held for as long as it is used.</summary>
public interface ILeased
{
    /// <summary>Bytes of memory that it takes.</summary>
    int Capacity { get; }

    /// <summary>Holds it once more; for who holds it.</summary>
    void Retain();

    /// <summary>Releases one hold.</summary>
    void Release();
}
