namespace Sc2Bridge.Bench;

/// <summary>A file that is gone when this is disposed.</summary>
internal sealed class TemporaryFile : IDisposable
{
    public string Path { get; } = System.IO.Path.GetTempFileName();

    public void Dispose() => File.Delete(Path);
}
