namespace Sc2Bridge.Terminal;

/// <summary>Finds the checkout of the repository that contains the program. Only a checkout has the Python scripts that measure and draw.</summary>
public static class RepositoryFolder
{
    /// <summary>The repository's root; null if the program is not in a checkout.</summary>
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
