#include "programs/raytracer/read_scene.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "programs/common/text.hpp"
#include "programs/raytracer/bvh.hpp"
#include "programs/raytracer/mesh.hpp"
#include "programs/raytracer/text.hpp"

namespace raytracer {
namespace {

using programs::shown;

constexpr float brightest = 1000;
constexpr float smallest = 1e-4F;
constexpr float shortest_normal = 1e-15F;  // the squares of much shorter ones underflow

float radians(float degrees) {
  return degrees * std::numbers::pi_v<float> / 180;
}

bool is_large(Vec v) {
  return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}) > Text::largest;
}

class SceneReader {
 public:
  SceneReader(const std::string& file, std::string_view content)
      : folder_(std::filesystem::path(file).parent_path()), text_(file, content) {}

  Scene read() {
    using Read = void (SceneReader::*)();
    static const std::map<std::string_view, Read> statements{
        {"image", &SceneReader::image},       {"camera", &SceneReader::camera},
        {"sky", &SceneReader::sky},           {"ambient", &SceneReader::ambient},
        {"light", &SceneReader::light},       {"material", &SceneReader::material},
        {"sphere", &SceneReader::sphere},     {"plane", &SceneReader::plane},
        {"triangle", &SceneReader::triangle}, {"mesh", &SceneReader::mesh},
        {"flake", &SceneReader::flake}};
    while (text_.next_line()) {
      const std::string_view word = text_.next_word();
      const auto statement = statements.find(word);
      if (statement == statements.end())
        text_.fail(shown(word) + " is nothing that can be in a scene");
      (this->*statement->second)();
    }
    if (!has_camera_) text_.fail("the scene has no camera");
    build_hierarchy(scene_);
    return std::move(scene_);
  }

 private:
  [[noreturn]] void unknown(std::string_view field) const {
    text_.fail(shown(field) + " is nothing that can be said here");
  }

  void image() {
    scene_.width = text_.integer(1, 32768);
    scene_.height = text_.integer(1, 32768);
    text_.end_of_line();
  }

  void camera() {
    if (has_camera_) text_.fail("there is a camera already");
    has_camera_ = true;
    Vec to;
    Vec up{0, 1, 0};
    float angle = 40;
    for (auto field = text_.next_field(); !field.empty(); field = text_.next_field()) {
      if (field == "from")
        scene_.camera.from = text_.vec();
      else if (field == "to")
        to = text_.vec();
      else if (field == "up")
        up = text_.vec();
      else if (field == "angle")
        angle = text_.number(0.1F, 170);
      else
        unknown(field);
    }
    text_.need("from");
    text_.need("to");
    const Vec way = to - scene_.camera.from;
    if (length(way) < smallest) text_.fail("the camera is where it looks to");
    if (length(up) < smallest) text_.fail("up is no direction");
    const Vec forward = unit(way);
    const Vec right = cross(forward, unit(up));
    if (length(right) < smallest) text_.fail("the camera looks straight along its up");
    const float half = std::tan(radians(angle) / 2);
    scene_.camera.forward = forward;
    scene_.camera.right = unit(right) * half;
    scene_.camera.up = cross(unit(right), forward) * half;
  }

  void sky() {
    scene_.sky[0] = text_.vec(0, brightest);
    scene_.sky[1] = text_.number_follows() ? text_.vec(0, brightest) : scene_.sky[0];
    text_.end_of_line();
  }

  void ambient() {
    scene_.ambient = text_.vec(0, brightest);
    text_.end_of_line();
  }

  void light() {
    Light light;
    for (auto field = text_.next_field(); !field.empty(); field = text_.next_field()) {
      if (field == "at")
        light.at = text_.vec();
      else if (field == "color")
        light.color = text_.vec(0, brightest);
      else
        unknown(field);
    }
    text_.need("at");
    scene_.lights.push_back(light);
  }

  void material() {
    const std::string name(text_.word("the material's name"));
    Material material;
    for (auto field = text_.next_field(); !field.empty(); field = text_.next_field()) {
      if (field == "color")
        material.color = text_.vec(0, 1);
      else if (field == "checker")
        material.second = text_.vec(0, 1);
      else if (field == "square")
        material.square = text_.number(smallest, Text::largest);
      else if (field == "specular")
        material.specular = text_.number(0, brightest);
      else if (field == "shine")
        material.shine = text_.integer(1, 100'000);
      else if (field == "reflect")
        material.reflect = text_.number(0, 1);
      else if (field == "refract")
        material.refract = text_.number(0, 1);
      else if (field == "ior")
        material.ior = text_.number(0.1F, 10);
      else
        unknown(field);
    }
    if (text_.has("checker") && !text_.has("square")) material.square = 1;
    if (text_.has("square")) text_.need("checker");
    if (material.reflect + material.refract > 1)
      text_.fail("reflect and refract together are more than 1");
    if (!materials_.emplace(name, scene_.materials.size()).second)
      text_.fail(fmt::format("there is a material {} already", shown(name)));
    scene_.materials.push_back(material);
  }

  std::uint32_t known_material() {
    const std::string_view name = text_.word("the material's name");
    const auto found = materials_.find(name);
    if (found == materials_.end())
      text_.fail(fmt::format("there is no material {} above", shown(name)));
    return found->second;
  }

  void sphere() {
    const Ball ball = read_ball(nullptr);
    add_sphere(ball.at, ball.radius, ball.material);
  }

  /// Eric Haines's sphereflake (A proposal for standard graphics environments, 1987): nine spheres
  /// of a third of the size on each, six around its waist, three on top.
  void flake() {
    std::int32_t levels = 3;
    const Ball ball = read_ball(&levels);
    grow(ball.at, ball.radius, {0, 1, 0}, levels, ball.material);
  }

  struct Ball {
    Vec at;
    float radius = 1;
    std::uint32_t material = 0;
  };

  Ball read_ball(std::int32_t* levels) {
    Ball ball;
    for (auto field = text_.next_field(); !field.empty(); field = text_.next_field()) {
      if (field == "at")
        ball.at = text_.vec();
      else if (field == "radius")
        ball.radius = text_.number(smallest, Text::largest);
      else if (field == "material")
        ball.material = known_material();
      else if (field == "levels" && levels != nullptr)
        *levels = text_.integer(1, 7);
      else
        unknown(field);
    }
    text_.need("at");
    text_.need("material");
    return ball;
  }

  void grow(Vec at, float radius, Vec axis, std::int32_t levels, std::uint32_t material) {
    add_sphere(at, radius, material);
    if (levels == 1) return;
    const Vec aside = unit(cross(axis, std::abs(axis.x) < 0.5F ? Vec{1, 0, 0} : Vec{0, 0, 1}));
    const Vec across = cross(axis, aside);
    const auto add = [&](float height, float turn) {
      const float waist = std::sqrt(1 - height * height);
      const Vec way = axis * height + aside * (waist * std::cos(radians(turn))) +
                      across * (waist * std::sin(radians(turn)));
      grow(at + way * (radius * 4 / 3), radius / 3, unit(way), levels - 1, material);
    };
    for (int i = 0; i < 6; ++i) add(0, 60.0F * static_cast<float>(i));
    for (int i = 0; i < 3; ++i) add(0.8165F, 30 + 120.0F * static_cast<float>(i));
  }

  void plane() {
    Plane plane;
    for (auto field = text_.next_field(); !field.empty(); field = text_.next_field()) {
      if (field == "at")
        plane.at = text_.vec();
      else if (field == "normal")
        plane.normal = text_.vec();
      else if (field == "material")
        plane.material = known_material();
      else
        unknown(field);
    }
    text_.need("at");
    text_.need("normal");
    text_.need("material");
    if (length(plane.normal) < smallest) text_.fail("the normal has no length");
    plane.normal = unit(plane.normal);
    scene_.planes.push_back(plane);
  }

  void triangle() {
    const Vec a = text_.vec();
    const Vec b = text_.vec();
    const Vec c = text_.vec();
    if (text_.next_field() != "material") text_.fail("a triangle is nine numbers and a material");
    const std::uint32_t material = known_material();
    text_.end_of_line();
    if (!add_triangle(a, b, c, material, Surface::flat))
      text_.fail("the corners of the triangle are on one line");
  }

  void mesh() {
    const std::string file(text_.word("the mesh's file"));
    std::optional<std::uint32_t> material;
    Vec at;
    float scale = 1;
    float turn = 0;
    for (auto field = text_.next_field(); !field.empty(); field = text_.next_field()) {
      if (field == "at")
        at = text_.vec();
      else if (field == "scale")
        scale = text_.number(1e-6F, Text::largest);
      else if (field == "turn")
        turn = text_.number();
      else if (field == "material")
        material = known_material();
      else if (field != "smooth")
        unknown(field);
    }
    text_.need("material");
    Mesh mesh = read_mesh((folder_ / file).string(), text_.where());
    if (text_.has("smooth")) raytracer::smooth(mesh);
    place(mesh, at, scale, radians(turn), *material);
  }

  // Triangles without an area, which meshes in the wild have, are left out.
  void place(const Mesh& mesh, Vec at, float scale, float turn, std::uint32_t material) {
    const float sine = std::sin(turn);
    const float cosine = std::cos(turn);
    const auto turned = [&](Vec v) {
      return Vec{v.x * cosine + v.z * sine, v.y, v.z * cosine - v.x * sine};
    };
    const auto moved = [&](Vec v) { return turned(v) * scale + at; };
    std::size_t added = 0;
    for (const auto& triangle : mesh.triangles) {
      const auto& normal = triangle.normal;
      const bool round =
          std::min({length(normal[0]), length(normal[1]), length(normal[2])}) > shortest_normal;
      const auto kind = round ? static_cast<std::int32_t>(scene_.corners.size()) : Surface::flat;
      if (!add_triangle(moved(triangle.at[0]), moved(triangle.at[1]), moved(triangle.at[2]),
                        material, kind))
        continue;
      ++added;
      if (round)
        scene_.corners.push_back(
            {unit(turned(normal[0])), unit(turned(normal[1])), unit(turned(normal[2]))});
    }
    if (added == 0) text_.fail("no triangle of the mesh has an area");
  }

  bool add_triangle(Vec a, Vec b, Vec c, std::uint32_t material, std::int32_t kind) {
    if (is_large(a) || is_large(b) || is_large(c))
      text_.fail(fmt::format("a corner is further than {:g} from the middle", Text::largest));
    const Vec ab = b - a;
    const Vec ac = c - a;
    const Vec normal = cross(ab, ac);
    const float longest = std::max(dot(ab, ab), dot(ac, ac));
    if (dot(normal, normal) < 1e-36F || length(normal) < 1e-6F * longest) return false;
    add({a, ab, ac, material, kind});
    return true;
  }

  void add_sphere(Vec at, float radius, std::uint32_t material) {
    add({at, {radius, 0, 0}, {}, material, Surface::sphere});
  }

  void add(const Surface& surface) {
    if (scene_.surfaces.size() == most_surfaces)
      text_.fail(fmt::format("more than {} spheres and triangles", most_surfaces));
    scene_.surfaces.push_back(surface);
  }

  std::filesystem::path folder_;
  Text text_;
  Scene scene_;
  std::map<std::string, std::uint32_t, std::less<>> materials_;
  bool has_camera_ = false;
};

}  // namespace

Scene read_scene(const std::string& file) {
  const std::string content = programs::read_file(file);
  return SceneReader(file, content).read();
}

}  // namespace raytracer
