using System.Text.Json;

namespace Sc2Bridge.Architecture.Tests;

/// <summary>The notices name the authors of everything that the program includes.</summary>
public sealed class NoticesTests
{
    /// <summary>The program's lock file also lists indirect packages.</summary>
    [Fact]
    public void Each_package_of_the_program_has_its_notice()
    {
        var notices = File.ReadAllText(Path.Combine(Repository.Root, "THIRD-PARTY-NOTICES.md"));
        var named = notices.Split('\n').Where(line => line.StartsWith("| ", StringComparison.Ordinal))
            .SelectMany(line => line.Split('|', StringSplitOptions.TrimEntries)[1].Split(", ")).ToHashSet();
        Assert.Empty(Packages().Except(named));
    }

    private static IEnumerable<string> Packages()
    {
        var file = Path.Combine(Repository.Folder("src"), "Sc2Bridge.Cli", "packages.lock.json");
        using var locked = JsonDocument.Parse(File.ReadAllBytes(file));
        return
        [
            .. from target in locked.RootElement.GetProperty("dependencies").EnumerateObject()
               from package in target.Value.EnumerateObject()
               where package.Value.GetProperty("type").GetString() != "Project"
               select package.Name,
        ];
    }
}
