namespace Sc2Bridge.Cli.Tests;

/// <summary>What a report that others read says of paths, on each system.</summary>
public sealed class AnonymousTextTests
{
    [Theory]
    [InlineData(@"in C:\Users\Ann\SC2", @"in ~\SC2")]
    [InlineData("in C:/Users/Ann/SC2", "in ~/SC2")]
    [InlineData("in c:/users/ANN", "in ~")]
    [InlineData(@"C:\Users\Anna\SC2", @"C:\Users\Anna\SC2")]
    [InlineData(@"D:\OneDrive\ann\Documents, 'x'", @"D:\OneDrive\user\Documents, 'x'")]
    [InlineData(@"""C:\\Users\\Ann\\SC2""", @"""~\\SC2""")]
    public void On_Windows_neither_slashes_nor_letters_give_the_user_away(string text, string anonymous) =>
        Assert.Equal(anonymous, new AnonymousText(@"C:\Users\Ann", "Ann", isWindows: true).RedactRecorded(text));

    [Theory]
    [InlineData("/home/ann/SC2, /home/ann", "~/SC2, ~")]
    [InlineData("/home/anna/.wine", "/home/anna/.wine")]
    [InlineData("/home/Ann/.wine", "/home/Ann/.wine")]
    [InlineData("/media/ann/disk", "/media/user/disk")]
    public void Elsewhere_letters_differ(string text, string anonymous) =>
        Assert.Equal(anonymous, new AnonymousText("/home/ann", "ann", isWindows: false).RedactRecorded(text));
}
