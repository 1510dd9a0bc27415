using Sc2Bridge.Terminal;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Which Python agents are started with.</summary>
public sealed class PythonInterpreterTests : MatchFolderTests
{
    [Theory]
    [InlineData("bin", "sc2bridge")]
    [InlineData("Scripts", "sc2bridge.exe")]
    public void A_program_in_a_virtual_environment_takes_its_Python(string scripts, string program)
    {
        var path = Path.Combine(Folder.Path, scripts, program);
        Assert.Null(PythonInterpreter.Around(path));
        File.WriteAllText(Path.Combine(Folder.Path, "pyvenv.cfg"), "");
        Assert.Equal(Folder.Path, PythonInterpreter.Around(path));
    }

    [Theory]
    [InlineData(false, "bin/sc2bridge", "bin/python3")]
    [InlineData(true, "Scripts/sc2bridge.exe", "python.exe")]
    [InlineData(true, "Scripts/sc2bridge.exe", "Scripts/python.exe")]
    public void One_beside_it_is_taken_too(bool windows, string program, string python)
    {
        var path = Path.Combine(Folder.Path, program);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        Assert.Null(PythonInterpreter.Beside(path, windows));
        File.WriteAllText(Path.Combine(Folder.Path, python), "");
        Assert.Equal(Path.Combine(Folder.Path, python), PythonInterpreter.Beside(path, windows));
    }

    [Fact]
    public void One_that_was_asked_for_comes_first() => Assert.Equal("pypy3", PythonInterpreter.Find("pypy3"));
}
