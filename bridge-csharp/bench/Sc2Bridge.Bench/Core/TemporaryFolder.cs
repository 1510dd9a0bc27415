namespace Sc2Bridge.Bench;

/// <summary>A folder that is removed, with all that is in it, when this is disposed.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("sc2bridge-bench-");

    /// <summary>The path of a file in it.</summary>
    public string this[string file] => Path.Combine(_folder.FullName, file);

    public override string ToString() => _folder.FullName;

    public void Dispose() => _folder.Delete(recursive: true);
}
