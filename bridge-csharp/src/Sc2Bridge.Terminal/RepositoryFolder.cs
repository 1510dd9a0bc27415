namespace Sc2Bridge.Terminal;

/// <summary>Finds the checkout that the program stands in: what measures and draws in Python needs its scripts.</summary>
public static class RepositoryFolder
{
    /// <summary>The repository's root; null where the program stands outside of one.</summary>
    public static string? Root { get; } = Find();

    private static string? Find()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "proto", "sc2bridge", "v1", "bridge.proto")))
            {
                return folder.FullName;
            }
        }

        return null;
    }
}
