using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace Sc2Bridge.Architecture.Tests;

/// <summary>The statements of docs/reference/projects.md about the projects are true.</summary>
public sealed partial class ProjectTests
{
    // Clients of other projects. They belong to no folder of the product.
    private static readonly string[] _testsOnly = ["Peers", "ThirdParty"];

    // Only folders with a project file: git can leave a folder behind that has only build output.
    public static TheoryData<string> Products =>
        [.. Directory.GetFiles(Repository.Folder("src"), "*.csproj", SearchOption.AllDirectories).Select(Name).Order()];

    public static TheoryData<string> Tested =>
        [.. Products.Select(row => row.Data).Where(name => Directory.Exists(Path.Combine(Repository.Folder("test"), $"{name}.Tests")))];

    [Fact]
    public void The_table_has_every_project_and_no_other() =>
        Assert.Equal(Products.Select(row => row.Data).Order(), Table().Keys.Order());

    [Theory]
    [MemberData(nameof(Products))]
    public void A_project_refers_to_what_it_may_use(string project)
    {
        var references = Project(project).Descendants("ProjectReference")
            .Select(reference => Path.GetFileNameWithoutExtension(reference.Attribute("Include")!.Value));
        Assert.Empty(references.Except(Table()[project]));
    }

    // A project also gets its references' own references.
    [Theory]
    [MemberData(nameof(Products))]
    public void A_project_names_nothing_that_it_may_not_use(string project)
    {
        var others = Products.Select(row => row.Data).Except([project, .. Table()[project]]).ToHashSet();
        var named =
            from file in Sources(Path.Combine(Repository.Folder("src"), project))
            from Match name in ProjectName().Matches(File.ReadAllText(file))
            where others.Contains(name.Value)
            select $"{Path.GetFileName(file)}: {name.Value}";
        Assert.Empty(named);
    }

    // Programs without a server use these projects, and a native library can contain them.
    [Theory]
    [InlineData("Sc2Bridge.Native")]
    [InlineData("Sc2Bridge.Simulator")]
    [InlineData("Sc2Bridge.Encodings")]
    [InlineData("Sc2Bridge.Recordings")]
    [InlineData("Sc2Bridge.Tables")]
    public void A_project_below_the_server_needs_no_server_and_nothing_that_it_uses_does(string project) => Assert.All(
        Needed(project).Append(project),
        needed =>
        {
            Assert.NotEqual("Sc2Bridge.Server", needed);
            Assert.Empty(Project(needed).Descendants("FrameworkReference"));

            // A package that needs the framework depends on a package of ASP.NET Core.
            var folder = Path.Combine(Repository.Folder("src"), needed);
            Assert.DoesNotContain(
                Sources(folder).Append(Path.Combine(folder, "packages.lock.json")),
                file => File.ReadAllText(file).Contains("AspNetCore", StringComparison.Ordinal));
        });

    [Theory]
    [MemberData(nameof(Products))]
    public void Only_tests_see_a_projects_internals(string project) => Assert.DoesNotContain(
        Project(project).Descendants("InternalsVisibleTo").Select(friend => friend.Attribute("Include")!.Value),
        friend => friend != "Sc2Bridge.Testing" && !friend.EndsWith(".Tests", StringComparison.Ordinal));

    [Theory]
    [MemberData(nameof(Tested))]
    public void Folders_of_tests_mirror_the_sources(string project) => Assert.Empty(
        Folders(Path.Combine(Repository.Folder("test"), $"{project}.Tests"))
            .Except([.. Folders(Path.Combine(Repository.Folder("src"), project)), .. _testsOnly]));

    // | project | about | may use |
    private static Dictionary<string, string[]> Table() => File
        .ReadLines(Path.Combine(Repository.Root, "docs", "reference", "projects.md"))
        .Select(line => line.Split('|', StringSplitOptions.TrimEntries))
        .Where(cells => cells.Length == 5 && cells[1].StartsWith('`'))
        .ToDictionary(
            cells => FullName(cells[1]),
            cells => cells[3].Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)
                .Select(FullName).ToArray());

    private static string FullName(string cell) => $"Sc2Bridge.{cell.Trim('`')}";

    private static XDocument Project(string name) =>
        XDocument.Load(Path.Combine(Repository.Folder("src"), name, $"{name}.csproj"));

    private static HashSet<string> Needed(string project)
    {
        var needed = new HashSet<string>();
        var left = new Stack<string>([project]);
        while (left.TryPop(out var next))
        {
            foreach (var reference in Project(next).Descendants("ProjectReference"))
            {
                var name = Path.GetFileNameWithoutExtension(reference.Attribute("Include")!.Value);
                if (needed.Add(name))
                {
                    left.Push(name);
                }
            }
        }

        return needed;
    }

    private static IEnumerable<string> Folders(string of) =>
        Sources(of).Select(file => Path.GetRelativePath(of, file).Split(Path.DirectorySeparatorChar))
            .Where(parts => parts.Length > 1).Select(parts => parts[0]).Distinct();

    private static IEnumerable<string> Sources(string folder) => Directory
        .EnumerateFiles(folder, "*.cs", SearchOption.AllDirectories)
        .Where(file => Path.GetRelativePath(folder, file).Split(Path.DirectorySeparatorChar)[0] is not ("obj" or "bin"));

    private static string Name(string project) => Path.GetFileNameWithoutExtension(project);

    [GeneratedRegex(@"\bSc2Bridge\.[A-Z]\w+")]
    private static partial Regex ProjectName();
}
