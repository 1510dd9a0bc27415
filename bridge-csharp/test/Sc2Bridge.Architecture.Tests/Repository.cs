namespace Sc2Bridge.Architecture.Tests;

internal static class Repository
{
    public static string Root { get; } = FindRoot();

    public static string Folder(string name) => Path.Combine(Root, "bridge-csharp", name);

    private static string FindRoot()
    {
        var folder = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(folder, "bridge-csharp", "sc2bridge.slnx")))
        {
            folder = Path.GetDirectoryName(folder) ?? throw new DirectoryNotFoundException("The repository is not there.");
        }

        return folder;
    }
}
